/** Description of the files that can hold a policy, for messages. */
export const policyFiles =
  'a JavaScript file (.js, .mjs, .cjs) or a TypeScript file (.ts, .mts, .cts; with types that can be erased)'

/** Rule by which `--policy` finds a policy, for messages. */
export const lookupRule = `--policy takes, in this order:
  - the name of a built-in policy;
  - NAME, if @cloister/policy-NAME or cloister-policy-NAME is installed in the working directory;
  - the name of any package installed in the working directory;
  - the path of ${policyFiles}.
The package or file exports the policy by default.`
