@_exported import Canned
