import { expect, test } from 'vitest'
import { formatAbsent, formatPgft, parseHostlist, parseTopology, recognisePgft, switchGraph } from '../src/index.ts'
import { traceFile } from './trace-files.ts'

/** Returns a topology.conf of a tree of two or three levels with single cables. */
function confOf(
  leaves: ReadonlyArray<{ readonly name: string; readonly nodes: string; readonly above: string }>,
): string {
  const above = Map.groupBy(leaves, (leaf) => leaf.above)
  return [
    ...leaves.map(({ name, nodes }) => `SwitchName=${name} Nodes=${nodes}`),
    ...[...above].map(([pod, own]) => `SwitchName=${pod} Switches=${own.map(({ name }) => name).join()}`),
    `SwitchName=top Switches=${[...above.keys()].join()}`,
  ].join('\n')
}

/** Sizes of the leaves of each pod of the cluster Lingjun, whose file names the switches above each host. */
function lingjun(text: string): ReadonlyArray<ReadonlyArray<number>> {
  const hosts = text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  const pods = Map.groupBy(hosts, ([, , pod]) => pod)
  return [...pods.values()]
    .map((own) => [...Map.groupBy(own, ([, , , leaf]) => leaf).values()].map(({ length }) => length))
    .sort((a, b) => b.length - a.length)
}

test('the whole tree of Lingjun has 3 pods of 48 leaves of 8 nodes; 847 of 1152 nodes are there', (context) => {
  const pods = lingjun(traceFile(context, 'topology/alibaba-lingjun-2023-topo.csv'))
  expect(pods.map(({ length }) => length)).toEqual([48, 42, 29])
  // The file has no cables: 8 uplinks a leaf, to 8 L2 switches of the pod, are an assumption.
  const leaves = pods.flat()
  const upOfLeaf = pods.flatMap((own, pod) => own.map(() => Array.from({ length: 8 }, (_, i) => 8 * pod + i)))
  const upOfL2 = pods.flatMap(() =>
    Array.from({ length: 8 }, (_, i) => Array.from({ length: 48 }, (__, j) => 48 * i + j)),
  )
  const machine = recognisePgft(switchGraph({ name: 'lingjun', leaves, parents: [upOfLeaf, upOfL2] }))
  expect(formatPgft(machine.envelope!.shape)).toBe('pgft:3;8,48,3;1,8,48;1,1,1')
  expect(machine).toMatchObject({ nodes: 847, leaves: 119, pods: 3 })
  expect(formatAbsent(machine)).toMatch(/^nodes [\d,-]+; leaf 90-95,125-143$/)
})

test("topograph's irregular model has racks without nodes, which are absent", (context) => {
  const text = traceFile(context, 'topology/topograph/dual-xclr-irregular.yaml')
  const blocks = [...text.matchAll(/- switch: (rack-(\d)-\d+)\n {2}nodes:\n((?: {2}- \S+\n)+)/g)]
  const leaves = blocks.map(([, name, pod, lines]) => ({
    name,
    above: `sw-0${pod}`,
    nodes: lines.match(/\S+$/gm)!.join(),
  }))
  const machine = parseTopology('slurm:irregular.conf', () => confOf(leaves))
  expect(machine.irregularity).toBeUndefined()
  expect(machine.leaves).toBe(blocks.length)
  expect(machine.nodes).toBe(leaves.reduce((sum, { nodes }) => sum + parseHostlist(nodes).length, 0))
  expect(formatPgft(machine.envelope!.shape)).toBe('pgft:3;9,15,2;1,1,1;1,1,1')
})

test('the whole tree of a cluster with 15 leaves of 1 to 11 nodes has 15 leaves of 11', () => {
  const sizes = [1, 1, 2, 2, 2, 3, 3, 3, 5, 5, 6, 6, 6, 8, 11]
  const leaves = sizes.map((size, leaf) => ({ name: `s${leaf}`, above: 'pod', nodes: `n${leaf}-[1-${size}]` }))
  const machine = parseTopology('slurm:uneven.conf', () => confOf(leaves))
  expect(machine).toMatchObject({ nodes: 64, leaves: 15, pods: 1 })
  expect(formatPgft(machine.envelope!.shape)).toBe('pgft:3;11,15,1;1,1,1;1,1,1')
})
