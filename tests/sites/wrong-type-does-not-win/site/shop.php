<!DOCTYPE html><html><head><title>A page of unknown type</title></head><body>Hello</body></html>
