import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import {
  describeRails,
  describeTaper,
  fabricSwitches,
  formatAbsent,
  formatIbnetdiscover,
  formatIdset,
  formatPgft,
  formatTopologyConf,
  formatTopologyYaml,
  isFullBisection,
  levelName,
  missingCables,
  railCount,
  type SwitchLevel,
  switchName,
  tapersOf,
  taperText,
  type Topology,
  topologySpecs,
} from '@cloister/topology'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { checkOutput } from '../files/outputs.ts'
import { inputFiles } from '../run/input-files.ts'
import { print, remark } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { fields, paragraphs, table } from '../terminal/table.ts'
import { Terminal } from '../terminal/terminal.ts'
import { findTopology } from '../topology/topology-lookup.ts'
import { forceFlag, jsonFlag, type Options, outFlag } from './flags.ts'

const topologyArgument = Argument.String('topology').pipe(
  Argument.withDescription(`Topology of the machine\nForms: ${topologySpecs.map(({ spec }) => spec).join(' ')}.`),
)

const showFlags = { spec: topologyArgument, json: jsonFlag }

const show = Command.make('show', showFlags, (options) => showTopology(options)).pipe(
  Command.withDescription('Show the shape of a machine'),
  Command.withExamples([
    {
      command: 'cloister topology show radix:18',
      description: 'Show the shape of the fat tree of radix-18 switches, with 1458 nodes',
    },
    {
      command: 'cloister topology show table:hosts.csv,host=ip,levels=row,rack,cables=8',
      description: 'Show the machine in a table with a line for each host, and with 8 cables from each leaf',
    },
  ]),
)

const withCables = (machine: Topology): string => formatIbnetdiscover(machine)

const exportedFlags = {
  spec: topologyArgument,
  to: Flag.ChoiceWithValue('to', [
    ['slurm-conf', formatTopologyConf],
    ['slurm-yaml', formatTopologyYaml],
    ['ibnetdiscover', withCables],
  ]).pipe(Flag.withDescription('Format of the file: the input of another program')),
  out: outFlag,
  force: forceFlag,
}

const exported = Command.make('export', exportedFlags, (options) => exportTopology(options)).pipe(
  Command.withDescription('Write a machine for another program'),
  Command.withExamples([
    { command: 'cloister topology export cab --to slurm-conf', description: "Write Cab as Slurm's topology.conf" },
  ]),
)

export const topology = Command.make('topology').pipe(
  Command.withDescription('Show and convert descriptions of machines'),
  Command.withSubcommands([show, exported]),
)

const showTopology = Effect.fn(function* ({ spec, json }: Options<typeof showFlags>) {
  const machine = yield* findTopology(spec)
  yield* print('topology show', json, summary(machine), () => describe(machine))
})

function summary(topology: Topology) {
  const tapers = tapersOf(topology)
  return {
    name: topology.name,
    pgft: topology.pgft,
    /** Shape of the whole tree, and the parts that it lacks, if parts are absent. */
    envelope: topology.envelope?.shape,
    absent: formatAbsent(topology) || undefined,
    missingCables: topology.envelope && missingCables(topology),
    irregularity: topology.irregularity,
    remarks: topology.remarks,
    nodes: topology.nodes,
    leaves: topology.leaves,
    /** Blocks of nodes, such as NVLink domains, with the ids of their nodes. */
    blocks: topology.blocks?.map(({ name, nodes }) => ({ name, nodes: formatIdset(nodes) })),
    pods: topology.pods,
    /** True if every switch below the top has at least as many links up as down. */
    isFullBisection: isFullBisection(topology),
    /** Rails of a machine whose nodes have several adapters, or null; all other numbers count one rail. */
    rails: topology.rails === undefined ? null : { ...topology.rails, switches: fabricSwitches(topology) },
    levels: topology.levels.map((level, i) => ({
      level: levelName(i),
      switches: level.switches,
      links: level.links,
      upPorts: upPorts(level),
      /** Links down and up of the most tapered switch of the level, or null at the top level. */
      taper: tapers.at(i) ?? null,
    })),
  }
}

function describe(topology: Topology): string {
  const nodesOfLeaf = range(topology.firstNodeOfLeaf)
  const leavesOfPod = range(topology.firstLeafOfPod)
  const missing = missingCables(topology)
  const facts = fields([
    ['topology', topology.name],
    ['no regular tree', topology.irregularity],
    ['whole tree', topology.envelope && formatPgft(topology.envelope.shape)],
    ['absent', formatAbsent(topology) || undefined],
    ['missing cables', missing.length === 0 ? undefined : some(missing)],
    ['nodes', count(topology.nodes)],
    ['rails', railsInWords(topology)],
    ['leaves', `${count(topology.leaves)} of ${nodesOfLeaf} nodes`],
    ['pods', `${count(topology.pods)} of ${leavesOfPod} leaves`],
    ['blocks', topology.blocks && blocksText(topology.blocks)],
    ['node names', topology.nodeNames && `${topology.nodeNames[0]} … ${topology.nodeNames[topology.nodes - 1]}`],
  ])
  const tapers = tapersOf(topology)
  const taper = describeTaper(topology)
  const levels = table(
    ['level', 'switches', 'names', 'up-ports each', 'links up', 'down : up'],
    topology.levels.map((level, i) => [
      levelName(i),
      count(level.switches),
      [...new Set([0, level.switches - 1])].map((sw) => switchName(topology, i, sw)).join(' … '),
      level.links === 0 ? '-' : range(level.firstPort),
      level.links === 0 ? '-' : count(level.links),
      i < tapers.length ? taperText(tapers[i]) : '-',
    ]),
  )
  const tapered =
    taper &&
    `The tree is tapered (${taper}). A policy that claims full bandwidth leaves nodes without an uplink idle: cloister policy show NAME --topology '${topology.name}' shows the claims of a policy.`
  return paragraphs([facts, levels, tapered, topology.remarks?.join('\n')])
}

/** Returns the rails with the switches and cables of all rails together; undefined for a machine with one rail. */
function railsInWords(topology: Topology): string | undefined {
  const rails = describeRails(topology)
  if (rails === undefined) return undefined
  const switches = fabricSwitches(topology).map((each, level) => `${count(each)} ${levelName(level)}`)
  const cables = topology.levels.reduce((sum, { links }) => sum + links, 0) * railCount(topology)
  return `${rails}: ${switches.join(', ')} switches and ${count(cables)} cables between them in all; the lines below are those of one rail`
}

function blocksText(blocks: NonNullable<Topology['blocks']>): string {
  const sizes = blocks.map(({ nodes }) => nodes.length)
  const names = [...new Set([blocks[0].name, blocks[blocks.length - 1].name])]
  return `${count(blocks.length)} of ${spanOf(sizes)} nodes, ${names.join(' … ')}`
}

/** Returns the first 5 of some texts, and the number of the others. */
function some(texts: ReadonlyArray<string>): string {
  const left = texts.length - 5
  return `${texts.slice(0, 5).join(', ')}${left > 0 ? ` and ${count(left)} more` : ''}`
}

function upPorts(level: SwitchLevel): { readonly min: number; readonly max: number } {
  return { min: Math.min(...differences(level.firstPort)), max: Math.max(...differences(level.firstPort)) }
}

/** Returns the least and the largest difference of neighbours in `firsts`: `16-18`, or `18` if equal. */
function range(firsts: ArrayLike<number>): string {
  return spanOf(differences(firsts))
}

function spanOf(sizes: ReadonlyArray<number>): string {
  const min = Math.min(...sizes)
  const max = Math.max(...sizes)
  return min === max ? `${min}` : `${min}-${max}`
}

function differences(firsts: ArrayLike<number>): number[] {
  return Array.from({ length: firsts.length - 1 }, (_, i) => firsts[i + 1] - firsts[i])
}

const exportTopology = Effect.fn(function* ({ spec, to: format, out, force }: Options<typeof exportedFlags>) {
  const files = yield* Files
  if (Option.isSome(out)) {
    const inputs = inputFiles(files, out.value, [{ topology: spec }], undefined)
    yield* attempt(() => checkOutput(files, out.value, { force, inputs }))
  }
  const machine = yield* findTopology(spec)
  const text = yield* attempt(() => format(machine))
  if (machine.rails !== undefined && format !== withCables)
    yield* remark(`the file has the switches of one of the ${machine.rails.count} equal rails`)
  if (machine.blocks !== undefined) yield* remark('the file has no blocks of nodes')
  if (Option.isNone(out)) return (yield* Terminal).write(text)
  yield* attempt(() => files.writeText(out.value, text, force ? 'overwrite' : 'refuse'))
})
