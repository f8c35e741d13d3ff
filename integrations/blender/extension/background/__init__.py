"""What runs in a second Blender, on a copy of the scene: exporting, checking, comparing."""
