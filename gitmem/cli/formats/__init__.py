"""What a check found, in the formats that CI systems read.

Each module has `render(checked, store)`, a pure function from the verdicts to a whole document that ends with a line
feed, or is empty. `store` is the store relative to the top of the checkout that it lies in.
"""
