"""Files and folders: read plainly whoever left them, written in whole, walked and removed however deep, locked."""
