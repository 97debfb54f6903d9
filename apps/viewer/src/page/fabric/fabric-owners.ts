import { parseIdset } from '@cloister/topology'
import { type Moment, noOwner } from '../../run/questions.ts'
import { leafUse, type LeafUse } from '../../run/leaf-use.ts'
import type { RunClient } from '../state/run-client.ts'
import type { Square } from './fabric-layout.ts'

/** Returns true if the run's policy allocates links to jobs, owned or capped. */
export function givesLinks(run: RunClient): boolean {
  const links = run.overview.value?.header.policy.claims.links
  return links === 'owned' || links === 'capped'
}

export function isCapped(run: RunClient): boolean {
  return run.overview.value?.header.policy.claims.links === 'capped'
}

/** Returns the job number (or `noOwner`) of a square's node or cable; for a shared cable, its used MB/s. */
export function ownerNumber(run: RunClient, square: Square): number {
  const { nodeOwners, linkOwners } = run.moment.value!
  if (square.kind === 'node') return nodeOwners[square.node]
  const owner = linkOwners[firstLinkOf(run, square.level) + square.link]
  return isCapped(run) && owner === 0 ? noOwner.free : owner
}

export function firstLinkOf({ topology: { levels } }: RunClient, level: number): number {
  let first = 0
  for (let below = 0; below < level; below++) first += levels[below].links
  return first
}

const useOf = new WeakMap<Moment, LeafUse>()

/** Returns the held nodes, the nodes down, and the free nodes on partly used leaves, leaf by leaf, at the cursor. */
export function leafUseOf(run: RunClient): LeafUse {
  const moment = run.moment.value!
  const links = isCapped(run) ? undefined : moment.linkOwners.subarray(0, run.topology.levels[0].links)
  const use = useOf.get(moment) ?? leafUse(run.topology, moment.nodeOwners, links)
  useOf.set(moment, use)
  return use
}

export function keyOf(square: Square): string {
  return square.kind === 'node' ? `n${square.node}` : `${square.level}:${square.link}`
}

export function reservedSquares(run: RunClient): ReadonlySet<string> {
  return new Set((run.moment.value?.reservations ?? []).flatMap((reservation) => keysOf(reservation)))
}

/**
 * Returns the keys of the nodes and links in the log's inconsistent record that are not free. Empty unless the cursor
 * is at the last record before the inconsistent record.
 */
export function conflictSquares(run: RunClient): ReadonlySet<string> {
  const { broken, seekable } = run.overview.value ?? {}
  if (broken === undefined || broken === null || !('nodes' in broken) || run.moment.value?.seq !== (seekable ?? 0) - 1)
    return new Set()
  const { nodeOwners, linkOwners } = run.moment.value
  return new Set(
    keysOf(broken).filter((key) => {
      if (key.startsWith('n')) return nodeOwners[Number(key.slice(1))] !== noOwner.free
      const [level, link] = key.split(':').map(Number)
      return linkOwners[firstLinkOf(run, level) + link] !== noOwner.free
    }),
  )
}

function keysOf({
  nodes,
  links = [],
}: {
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
}): ReadonlyArray<string> {
  return [
    ...Array.from(parseIdset(nodes), (node) => `n${node}`),
    ...links.flatMap((ids, level) => Array.from(parseIdset(ids), (link) => `${level}:${link}`)),
  ]
}
