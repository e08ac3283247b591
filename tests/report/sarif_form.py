# SPDX-License-Identifier: Apache-2.0
"""The requirements of SARIF 2.1.0 on the objects that edgeprobe writes, closed: an unknown key is an error."""
from jsonschema import Draft202012Validator


def closed(required, **properties):
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


TEXT = {"type": "string", "minLength": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = closed(["text"], text=TEXT)
BAG = {"type": "object"}
URI = {"type": "string", "pattern": r"^(file:///)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+$"}
PLACE = closed(["artifactLocation", "region"], artifactLocation=closed(["uri"], uri=URI, uriBaseId={"const": "%SRCROOT%"}),
               region=closed(["startLine"], startLine={"type": "integer", "minimum": 1}))
RULE = closed(["id", "shortDescription"], id=TEXT, shortDescription=MESSAGE, defaultConfiguration=closed(["level"], level=LEVEL))
RESULT = closed(["ruleId", "ruleIndex", "level", "message", "locations"], ruleId=TEXT, ruleIndex={"type": "integer", "minimum": 0}, level=LEVEL,
                message=MESSAGE, locations={"type": "array", "minItems": 1, "items": closed(["physicalLocation"], physicalLocation=PLACE)},
                partialFingerprints={"type": "object", "additionalProperties": TEXT}, properties=BAG)
DRIVER = closed(["name", "version", "rules"], name={"const": "edgeprobe"}, version=TEXT, rules={"type": "array", "uniqueItems": True, "items": RULE})
RUN = closed(["tool", "results"], tool=closed(["driver"], driver=DRIVER), automationDetails=closed(["id"], id=TEXT),
             invocations={"type": "array", "items": closed(["executionSuccessful"], executionSuccessful={"type": "boolean"})},
             columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]}, results={"type": "array", "items": RESULT}, properties=BAG)
LOG = closed(["version", "runs"], **{"$schema": {"type": "string", "format": "uri"}, "version": {"const": "2.1.0"}, "properties": BAG,
                                     "runs": {"type": "array", "minItems": 1, "items": RUN}})
VALIDATOR = Draft202012Validator(LOG)


def results_of(log):
    """The results of a log of this form; its rules must be those that the results name."""
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules), rules
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])
    assert {one["ruleIndex"] for one in run["results"]} == set(range(len(rules)))
    return run["results"]
