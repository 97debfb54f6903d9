/** Module with the policies of packages/policies, written by the build of the site. */
declare module 'site:policies' {
  import type { AnyPolicy } from '@cloister/run'
  export const policies: ReadonlyArray<AnyPolicy>
}

/** Module with the names of the policies, written by the build of the site. */
declare module 'site:policy-names' {
  export const policies: ReadonlyArray<string>
}

/** Module with the finished runs of the first set-up, written by the build of the site. */
declare module 'site:stored-runs' {
  import type { StoredRuns } from './page/viewer.tsx'
  export const stored: StoredRuns
}

/** Module with the code of the tutorial's example policy, written by the build of the site. */
declare module 'site:policy-to-start-from' {
  export const code: string
}

/** Module with the types of the policy contract, for help in the editor, written by the build of the site. */
declare module 'site:contract-types' {
  import type { ContractTypes } from './contract-types.ts'
  export const types: ContractTypes
}

/** Module with the declarations of the contract's packages and of the language, for the compiler in a worker. */
declare module 'site:contract-declarations' {
  import type { Declarations } from './compiler-worker.ts'
  export const declarations: Declarations
}
