"""What programs of one framework share. They find it by its bare name: `on_torch`."""
