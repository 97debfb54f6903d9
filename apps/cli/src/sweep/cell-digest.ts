import { createHash } from 'node:crypto'
import type { RunSpec } from '@cloister/run'
import type { CellResult } from './cell-result.ts'

/** What a result is the result of: the same content has the same digest, on every machine. */
export interface CellContent {
  /** In its canonical form. */
  readonly cell: RunSpec
  /** Name and version. */
  readonly program: string
  /** Name and version. */
  readonly policy: string
  /** Whether its log is audited. */
  readonly audit: boolean
}

/** 32 hexadecimal digits by which a cell is known: in names of files, in times, in claims. */
export function cellDigest({ cell, program, policy, audit }: CellContent): string {
  const content = JSON.stringify({ cell, program, policy, audit })
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}

/** The digest of the cell that a result is of. */
export function digestOf({ cell, program, policy, audit }: CellResult): string {
  return cellDigest({ cell, program, policy, audit: audit !== null })
}
