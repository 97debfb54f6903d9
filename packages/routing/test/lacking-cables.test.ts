import { Draw } from '@cloister/placement/testing'
import { expect, test } from 'vitest'
import { assignLacking, type LackingCables, lackingCables } from '../src/lacking-cables.ts'
import { range } from './allocations.ts'

/** Each vertex's set of links as a mask, and the flows that may leave it. */
interface Family {
  readonly sets: ReadonlyArray<number>
  readonly needs: ReadonlyArray<number>
}

function cablesOf({ sets, needs }: Family, links: number): LackingCables | undefined {
  const cables = sets.flatMap((set) => range(0, links).map((link) => (set >>> link) & 1))
  return lackingCables(cables, links, Int32Array.from(needs))
}

/** What is wrong with the links that flows are given: none that an end lacks, none twice at either end. */
function defect({ sets }: Family, cables: LackingCables, from: Int32Array, to: Int32Array): string | undefined {
  const { parent } = assignLacking(cables, from, to)
  const taken = new Set<string>()
  for (let flow = 0; flow < from.length; flow++) {
    for (const [end, vertex] of [
      ['from', from[flow]],
      ['to', to[flow]],
    ] as const) {
      if (((sets[vertex] >>> parent[flow]) & 1) === 0) return `vertex ${vertex} lacks link ${parent[flow]}`
      const use = `${end} ${vertex} over ${parent[flow]}`
      if (taken.has(use)) return `two flows ${use}`
      taken.add(use)
    }
  }
  return undefined
}

/** Every way in which each vertex sends and gets as many flows as it may, none to itself; those that keep fewer are part of one of these or of a smaller need. */
function* fullFlows(needs: ReadonlyArray<number>): Generator<readonly [from: Int32Array, to: Int32Array]> {
  const senders = needs.flatMap((need, vertex) => range(0, need).map(() => vertex))
  const left = [...needs]
  const to: Array<number> = []
  function* give(): Generator<readonly [Int32Array, Int32Array]> {
    const flow = to.length
    if (flow === senders.length) {
      yield [Int32Array.from(senders), Int32Array.from(to)]
      return
    }
    // Flows of one sender in order of their receivers: others are the same.
    const least = flow > 0 && senders[flow - 1] === senders[flow] ? to[flow - 1] : 0
    for (let vertex = least; vertex < needs.length; vertex++) {
      if (left[vertex] === 0 || vertex === senders[flow]) continue
      left[vertex]--
      to.push(vertex)
      yield* give()
      to.pop()
      left[vertex]++
    }
  }
  yield* give()
}

function* tuples(length: number, from: number, below: number): Generator<ReadonlyArray<number>> {
  if (length === 0) yield []
  else
    for (const rest of tuples(length - 1, from, below))
      for (let value = from; value < below; value++) yield [...rest, value]
}

test('every family of up to 4 vertices and 3 links that keeps the rule has links for all flows', () => {
  let kept = 0
  let flows = 0
  for (const vertices of [2, 3, 4]) {
    for (const needs of tuples(vertices, 1, 4)) {
      // Vertices in order of their needs are enough.
      if (needs.some((need, v) => v > 0 && need > needs[v - 1])) continue
      const multigraphs = [...fullFlows(needs)]
      for (const sets of tuples(vertices, 1, 8)) {
        const cables = cablesOf({ sets, needs }, 3)
        if (cables === undefined) continue
        kept++
        for (const [from, to] of multigraphs) {
          flows++
          const wrong = defect({ sets, needs }, cables, from, to)
          if (wrong !== undefined) expect({ sets, needs, from, to, wrong }).toBeUndefined()
        }
      }
    }
  }
  expect(kept).toBeGreaterThan(1500)
  expect(flows).toBeGreaterThan(10_000)
})

test('random families of 5 vertices and 4 links, and of 12 vertices and 9, that keep the rule', () => {
  const draw = new Draw(7)
  for (const [vertices, links] of [
    [5, 4],
    [12, 9],
  ] as const) {
    for (let kept = 0; kept < 150;) {
      const needs = range(0, vertices).map(() => 1 + draw.below(draw.pick([2, links])))
      const sets = needs.map(() => (1 << links) - 1 - (draw.once(2) ? 0 : 1 << draw.below(links)))
      const cables = cablesOf({ sets, needs }, links)
      if (cables === undefined) continue
      kept++
      const senders = needs.flatMap((need, vertex) => range(0, need).map(() => vertex))
      const by = 1 + draw.below(senders.length - 1)
      // What a vertex sends to itself takes no link.
      const flows = senders
        .map((from, i) => ({ from, to: senders[(i * by + by) % senders.length] }))
        .filter(({ from, to }) => from !== to)
      const few = flows.filter(({ to }, i) => flows.slice(0, i).filter((other) => other.to === to).length < needs[to])
      const ends = (end: 'from' | 'to'): Int32Array => Int32Array.from(few, (flow) => flow[end])
      expect(defect({ sets, needs }, cables, ends('from'), ends('to'))).toBeUndefined()
    }
  }
})

test('a link missing from a set where none is to spare breaks the rule', () => {
  // Two full vertices, and two that need nested parts.
  const kept: Family = { sets: [0b1111, 0b1111, 0b0111, 0b0001], needs: [4, 4, 2, 1] }
  expect(cablesOf(kept, 4)).toBeDefined()
  for (const [vertex, set] of kept.sets.entries()) {
    for (let rest = set; rest !== 0; rest &= rest - 1) {
      const sets = kept.sets.with(vertex, set & ~(rest & -rest))
      expect(cablesOf({ ...kept, sets }, 4)).toBeUndefined()
    }
  }
})
