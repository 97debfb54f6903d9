import type { Extent } from '@cloister/figures'

/** Options of `plot` that only some kinds take, by their names on the command line; undefined or false if not given. */
export interface KindOptions {
  readonly of: string | undefined
  readonly where: string | undefined
  readonly at: number | undefined
  readonly by: string | undefined
  readonly beside: string | undefined
  readonly marks: 'points' | 'bars' | undefined
  readonly scale: 'log' | 'linear' | undefined
  readonly names: string | undefined
  readonly 'row-names': string | undefined
  readonly 'x-range': string | undefined
  readonly 'y-range': string | undefined
  readonly time: 'relative' | 'clock' | undefined
  readonly policy: string | undefined
  readonly panels: boolean
  readonly patterns: boolean
}

/** Files, options and size of a picture. */
export interface PlotRequest extends KindOptions {
  readonly files: ReadonlyArray<string>
  readonly extent: Extent
}
