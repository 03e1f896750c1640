# The verbs of this package. `make demo` and `make test` are all that a newcomer needs.

.PHONY: demo test lint format clean

test: ## Run every test
	swift test

lint: ## Fail on anything that `make format` would change
	swift format lint --strict --recursive --parallel Package.swift Sources Tests

format: ## Let swift-format settle the layout
	swift format --in-place --recursive --parallel Package.swift Sources Tests

clean:
	swift package clean
