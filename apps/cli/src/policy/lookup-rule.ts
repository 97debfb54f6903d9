/** Description of the file types for a policy. */
export const policyFiles =
  'a JavaScript file (.js, .mjs, .cjs) or a TypeScript file (.ts, .mts, .cts; with types that can be erased)'

/** Rule to find a policy by name, for users. */
export const lookupRule = `A policy is named by
  - the name of a built-in one, whatever is installed;
  - else NAME, where @cloister/policy-NAME or cloister-policy-NAME is installed in the working directory;
  - else any package installed there, or the path of ${policyFiles}.
The package or file exports the policy by default.`
