"""Prints a JSON object about a source: whether Python 3.9 can parse it, and the names of the standard library in it.

The names are builtins, members of imported modules, and methods that the source calls but does not define.
"""

import ast
import builtins
import json
import sys

source = sys.stdin.read()
try:
    tree = ast.parse(source, feature_version=(3, 9))
except SyntaxError as error:
    print(json.dumps({"error": str(error)}))
    sys.exit()
nodes = list(ast.walk(tree))
modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
defined = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
used = set()
for node in nodes:
    if isinstance(node, ast.Name) and hasattr(builtins, node.id):
        used.add(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
        used.add("%s.%s" % (node.value.id, node.attr))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr not in defined:
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id in modules):
            used.add(".%s" % node.func.attr)
print(json.dumps({"used": sorted(used)}))
