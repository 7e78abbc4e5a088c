"""Programs that behave as real agents do on the wire; they need nothing but the standard library."""
