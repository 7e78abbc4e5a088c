"""python-pptx's hot paths, done faster with the same results: see the README beside this file."""
