"""Pictures of slides."""
