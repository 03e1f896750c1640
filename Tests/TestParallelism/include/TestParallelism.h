// Limits how many tests run side by side. There is nothing to call: it is done when the test program is loaded.
