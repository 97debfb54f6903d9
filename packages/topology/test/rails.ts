import { formatIbnetdiscover, type PgftShape, pgft } from '../src/index.ts'

/**
 * Parameters of a fabric of several rails in the format of `ibnetdiscover`: adapter mlx5_R of every host hangs on the
 * tree of rail R.
 */
export interface Rails {
  /** Shape of each rail's tree. */
  readonly shape: PgftShape
  readonly rails: number
  /** True if all rails have the same top switches; false if they share no switch. */
  readonly isTopShared: boolean
}

export function fabricOfRails({ shape, rails, isTopShared }: Rails): string {
  return isTopShared ? sharedTop(shape, rails) : apart(shape, rails)
}

/**
 * Returns a fabric of rails with common top switches: a tree with `rails` times the subtrees. Each host has an adapter
 * in the subtrees of each rail.
 */
function sharedTop(shape: PgftShape, rails: number): string {
  const nodes = pgft(shape).nodes
  const m = shape.m.with(-1, shape.m.at(-1)! * rails)
  return formatIbnetdiscover(pgft({ ...shape, m })).replaceAll(
    /"node(\d+) mlx5_0"/g,
    (_, node: string) => `"node${Number(node) % nodes} mlx5_${Math.floor(Number(node) / nodes)}"`,
  )
}

/**
 * Returns a fabric of rails without common switches: the tree once for each rail, with new GUIDs, new names of switches
 * and a new adapter of the same hosts.
 */
function apart(shape: PgftShape, rails: number): string {
  const tree = formatIbnetdiscover(pgft(shape))
  return Array.from({ length: rails }, (_, rail) =>
    tree
      .replaceAll(/"([SH])-0/g, `"$1-${rail}`)
      .replaceAll('mlx5_0', `mlx5_${rail}`)
      .replaceAll(/"((?:leaf|l2-|spine|l\d+-)\d+)"/g, `"rail${rail}-$1"`),
  ).join('\n')
}
