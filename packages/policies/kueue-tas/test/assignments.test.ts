import { expect, test } from 'vitest'
import { assign } from '../src/assignment.ts'
import { Capacity, type DomainTree } from '../src/domains.ts'
import { ruleOf } from '../src/config.ts'
import { type KueueCase, kueueCases } from './kueue-cases.ts'

interface Drawn {
  readonly tree: DomainTree
  readonly names: ReadonlyArray<string>
  readonly pods: ReadonlyArray<number>
}

/** Parses the text of a tree of domains: `name(children)`, and on the lowest level `name:pods`. */
function drawn(text: string): Drawn {
  const parents: Array<Array<number>> = []
  const names: Array<string> = []
  const pods: Array<number> = []
  const path: Array<string> = []
  let lowest = 0
  for (const [, name, count, close] of text.matchAll(/(\w+)(?:\(|:(\d+))|(\))/g)) {
    if (close !== undefined) {
      path.pop()
      continue
    }
    const level = path.length
    lowest = Math.max(lowest, level)
    ;(parents[level] ??= []).push((parents[level - 1]?.length ?? 1) - 1)
    if (count === undefined) path.push(name)
    else {
      names.push([...path, name].join('/'))
      pods.push(Number(count))
    }
  }
  const counts = parents.map((level) => level.length)
  const firstChild = parents
    .slice(1)
    .map((level, above) =>
      Int32Array.from({ length: counts[above] + 1 }, (_, domain) => level.filter((parent) => parent < domain).length),
    )
  return { tree: { firstChild, counts }, names, pods }
}

/**
 * Returns the number of Kubernetes pods that each domain gets, by the last part of the domain's name; undefined if the
 * pods do not fit.
 */
function assigned({ tree: text, mode, level = 0, slices, profile, pods: nodes }: KueueCase): string | undefined {
  const { tree, names, pods } = drawn(text)
  const top = tree.counts.length - 1
  // A config refers to levels by name. Every level above the two lowest levels of a case becomes a level of blocks.
  const nameOf = (at: number): number | 'leaf' | 'node' => (at === top ? 'node' : at === top - 1 ? 'leaf' : top - at)
  const blockSizes = Array.from({ length: Math.max(0, top - 1) }, (_, at) => at + 2)
  const rule = ruleOf(
    { blockSizes, lowest: 'node', mode, level: nameOf(level), profile: profile ?? 'mixed', indivisible: 'never' },
    tree,
    slices?.map((slice) => ({ size: slice.size, level: nameOf(slice.level) })),
  )
  const capacity = new Capacity(tree)
  capacity.nodes[top].set(pods)
  capacity.addUp(rule.slicing)
  const parts = assign(tree, capacity, new Capacity(tree), rule, nodes)
  return parts
    ?.map(({ domain, units }) => `${names[domain]}:${units}`)
    .sort()
    .join(' ')
}

test.each(kueueCases.map((each) => [each.name, each] as const))(
  'kueue-tas gives the answer of Kueue to the case: %s',
  (_, each) => {
    const { names } = drawn(each.tree)
    const want = each.want
      ?.split(' ')
      .map((part) => {
        const [name] = part.split(':')
        return part.replace(
          name,
          names.find((full) => full === name || full.endsWith(`/${name}`))!,
        )
      })
      .sort()
      .join(' ')
    expect(assigned(each)).toBe(want)
  },
)
