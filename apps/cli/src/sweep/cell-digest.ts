import { createHash } from 'node:crypto'
import type { RunSpec } from '@cloister/run'
import type { CellResult } from './cell-result.ts'

/** Everything that determines the result of a cell. Equal contents have the same digest on every machine. */
export interface CellContent {
  /** Cell as the canonical description of a run. */
  readonly cell: RunSpec
  /** Name and version of the program, as `cloister@VERSION`. */
  readonly program: string
  /** Name and version of the policy, as `NAME@VERSION`. */
  readonly policy: string
  /** True if the log of the run is audited. */
  readonly audit: boolean
}

/** Returns the digest of a cell, 32 hexadecimal digits, for names of files, measured times, and claims of workers. */
export function cellDigest({ cell, program, policy, audit }: CellContent): string {
  const content = JSON.stringify({ cell, program, policy, audit })
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}

/** Returns the digest of the cell of a result. */
export function digestOf({ cell, program, policy, audit }: CellResult): string {
  return cellDigest({ cell, program, policy, audit: audit !== null })
}
