"""Programs that go into images as they are: `serve.py`, and beside it the model of one framework.

They stand alone: inside an image there is no dlsetup.
"""
