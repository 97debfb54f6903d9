/** Made by build.mjs from packages/policies. */
declare module 'cloister:builtin-policies' {
  import type { BuiltInPolicy } from './policy-lookup.ts'
  export const builtInPolicies: ReadonlyArray<BuiltInPolicy>
}
