"""How a run is made: agents by name, a fresh workspace, a process that cannot outlive its time, and what it left."""
