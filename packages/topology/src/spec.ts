import { closest, distance } from 'fastest-levenshtein'
import { ABSENT_FORM, parseAbsent } from './absent-text.ts'
import { HostlistError, parseHostlist, withNodeNames } from './names.ts'
import { HOST_FILE, hostFileOptions, optionsOfHostFile, topologyOfHostFile } from './hosts/host-file.ts'
import { quote, TopologyError } from './topology-error.ts'
import { pgft } from './pgft.ts'
import { parseIbnetdiscover } from './infiniband/fabric-topology.ts'
import { integer, karyShape, pgftShape, radixShape } from './shape-text.ts'
import { parseSlurmTopology } from './slurm/switch-tree.ts'
import { isTopologyYaml, type ParsedYaml, topologyOfYaml } from './slurm/topology-yaml.ts'
import { withRails } from './rails.ts'
import { TableError } from './tables.ts'
import type { PgftShape, Topology } from './topology.ts'
import { levelName } from './wiring.ts'

/** Forms of the specs of topologies, with the machine of each form, for help texts and errors. */
export const topologySpecs: ReadonlyArray<{ readonly spec: string; readonly meaning: string }> = [
  {
    spec: 'radix:R',
    meaning: 'maximal three-level fat tree of radix-R switches, R even and at least 4: radix:18 has 1458 nodes',
  },
  { spec: 'kary:K:N', meaning: 'k-ary n-tree, N levels with K nodes a leaf: kary:4:6 has 4096 nodes' },
  { spec: 'pgft:H;M;W;P', meaning: 'any parallel-ports generalised fat tree: pgft:3;18,18,4;1,18,2;1,1,9' },
  {
    spec: 'cab',
    meaning: 'LLNL Cab, 1296 nodes in 4 pods, 9 parallel cables from an L2 switch to each of its 2 spines',
  },
  { spec: 'pinot', meaning: 'Pinot, 2592 nodes in 8 pods like those of Cab' },
  { spec: 'SPEC@FILE', meaning: 'any other spec, with node names from the hostlist in a file, such as cab@cab.hosts' },
  {
    spec: 'SPEC without PARTS',
    meaning: `any other spec without absent parts, which are not installed: 'radix:16 without ${ABSENT_FORM}'; the numbers are those of the whole tree, \`ports\` are up-ports without a cable; SPEC without @FILE reads the parts from a file`,
  },
  {
    spec: 'R rails of SPEC',
    meaning:
      "R equal trees over the same nodes, one for each adapter of a node, without a common switch: '8 rails of pgft:2;72,8;1,4;1,18'; 'R rails with common spines of SPEC' and 'R rails with common L2 of SPEC': all rails have these switches and the switches above in common",
  },
  {
    spec: 'slurm:FILE',
    meaning:
      "the switches or blocks of Slurm's topology.conf, topology.yaml or scontrol show topology, as a regular tree without the parts that the file lacks; slurm:FILE,topology=NAME takes one of several topologies of a topology.yaml; slurm:FILE,parents=8,48 replaces each switch above the leaves by parallel switches, so that a leaf has 8 parents and an L2 switch 48; slurm:FILE,cables=1,9 gives each link 1 or 9 parallel cables; both have a number for each level below the top, from the leaves up",
  },
  {
    spec: 'ib:FILE',
    meaning:
      'an InfiniBand fabric as ibnetdiscover prints it, with a rail for each adapter of a node; ib:FILE,adapters=mlx5_[0-7] chooses the adapters of the rails, ib:FILE,adapter=mlx5_0 takes one rail, ib:FILE,nodes=cn[1-64] chooses the hosts that are nodes',
  },
  {
    spec: 'topograph:FILE',
    meaning:
      "a model of NVIDIA's topograph in YAML, or the JSON of its engine `graph`; accelerator domains become blocks of nodes, for the policies slurm-block and kueue-tas; topograph:FILE,parents=8,48,cables=1,9 as for slurm:FILE",
  },
  {
    spec: 'table:FILE',
    meaning:
      'a table in CSV with a host a line and a column for each level of switches, from the coarsest to the leaf; table:FILE,host=ip,levels=DSW,PSW,ASW,block=nvl,parents=8,48 names the columns of the host, of the levels and of the NVLink domain',
  },
  {
    spec: 'k8s:FILE',
    meaning:
      'the nodes of a Kubernetes cluster as kubectl get nodes -o json prints them, by their topology labels, or by the levels of a Topology of Kueue from kubectl get nodes,topologies -o json; k8s:FILE,levels=LABEL,LABEL,block=LABEL,parents=8,48 chooses the labels of the levels, from the coarsest to the leaf, and of the NVLink domain',
  },
  {
    spec: 'aws:FILE',
    meaning:
      "the instances of AWS's DescribeInstanceTopology as aws ec2 describe-instance-topology prints them in JSON; aws:FILE,parents=8,48 as for slurm:FILE",
  },
  {
    spec: 'flux:FILE',
    meaning:
      'the resource graph of the scheduler Fluxion in JSON Graph Format, or an R of Flux, whose nodes hang on one leaf; flux:FILE,parents=8,48 as for slurm:FILE',
  },
]

/** LLNL Cab: 4 pods of 18 leaves of 18 nodes, 18 L2 switches a pod, 36 spines (Pollard et al., SC'18, section IV-A). */
const CAB: PgftShape = { m: [18, 18, 4], w: [1, 18, 2], p: [1, 1, 9] }

/**
 * Pinot, a hypothetical machine of Pollard et al. (SC'18): "36-port switches but … twice as many nodes and pods as
 * Cab". The paper does not state the wiring of the spines. A spine with 36 ports can have at most 4 cables to each of 8
 * pods, so the 18 up-ports of an L2 switch spread evenly over 18, 9 or 6 spines. `PINOT` has the fewest spines: 6
 * spines above each L2 switch, 3 cables to each, 108 spines in all.
 */
const PINOT: PgftShape = { m: [18, 18, 8], w: [1, 18, 6], p: [1, 1, 3] }

const SLURM_FILE = /^slurm:(.*?)(?:,topology=([^,/\\]*))?(?:,parents=([\d,]*?))?(?:,cables=([^/\\]*))?$/s
const INFINIBAND_FILE = /^ib:(.*?)(?:,adapter=([^,]*)|,adapters=((?:[^,[]|\[[^\]]*\])*))?(?:,nodes=(.*))?$/s

const RAILS = /^(\d+) rails(?: with common (\S+))? of (.*)$/s

/** Tree of one rail in a spec, and the text about the rails; `tree` is the whole spec for a machine with one rail. */
function splitRails(spec: string): { readonly tree: string; readonly count?: string; readonly common?: string } {
  const [, count, common, tree] = RAILS.exec(spec) ?? []
  if (count === undefined) return { tree: spec }
  return { tree: tree.trim(), count, ...(common !== undefined && { common }) }
}

/** Returns the level of the lowest switches that rails have in common. @param text `spines` for the top, or a level */
function commonLevel(text: string, { levels }: Topology, source: string): number {
  const wanted = text.toLowerCase().replace(/^spines?$/, levelName(levels.length - 1).toLowerCase())
  const level = levels.findIndex((_, at) => levelName(at).toLowerCase() === wanted)
  if (level > 0) return level
  const known = ['spines', ...levels.slice(1).map((_, at) => levelName(at + 1))]
  throw new TopologyError(`found common ${quote(text)}, expected ${[...new Set(known)].join(' or ')}`, { source })
}

/** Whole machine in a spec, and the absent parts: the text after ` without `. */
function splitSpec(spec: string): { readonly base: string; readonly parts?: string } {
  const [, base, parts] = /^(.*?) without (.*)$/s.exec(spec) ?? []
  return base === undefined ? { base: spec } : { base: base.trim(), parts: parts.trim() }
}

/** Returns the paths of the files in the spec of a topology. */
export function filesOfSpec(spec: string): ReadonlyArray<string> {
  const { base, parts } = splitSpec(splitRails(spec).tree)
  const path = (
    SLURM_FILE.exec(base) ??
    INFINIBAND_FILE.exec(base) ??
    HOST_FILE.exec(base)?.slice(1) ??
    /@(.*)$/s.exec(base)
  )?.[1]
  return [...(path === undefined ? [] : [path]), ...(parts?.startsWith('@') === true ? [parts.slice(1)] : [])]
}

/** Returns the path of the file of `ibnetdiscover` and the adapter, if chosen, of an `ib:` spec; else undefined. */
export function fabricOfSpec(spec: string): { readonly path: string; readonly adapter?: string } | undefined {
  const [, path, adapter] = INFINIBAND_FILE.exec(splitSpec(splitRails(spec).tree).base) ?? []
  if (path === undefined) return undefined
  return adapter === undefined ? { path } : { path, adapter }
}

/**
 * Builds the topology of a spec; `topologySpecs` lists all forms of specs. The `name` of the topology is the spec
 * without the folder of a file (`slurm:topology.conf` for `slurm:site/topology.conf`) and without `@FILE`. The
 * 10,648-node machine of Pollard et al. (SC'18, section V-B) is `pgft:3;22,22,22;1,22,22;1,1,1`.
 *
 * @param readFile returns the text of a file, for specs with files
 * @param parseYaml reads a YAML document, for a `topology.yaml`; may throw an error with a `line`
 * @throws TopologyError with the wrong part of the spec or of the file, and with the form allowed
 */
export function parseTopology(
  spec: string,
  readFile?: (path: string) => string,
  parseYaml?: (text: string) => ParsedYaml,
): Topology {
  const { tree, count, common } = splitRails(spec)
  if (count !== undefined) {
    const rail = parseTopology(tree, readFile, parseYaml)
    const commonFrom = common === undefined ? {} : { commonFrom: commonLevel(common, rail, quote(spec)) }
    const name = `${spec.slice(0, spec.indexOf(' of ') + ' of '.length)}${rail.name}`
    return withRails(rail, { count: Number(count), ...commonFrom }, name)
  }
  const { base, parts } = splitSpec(spec)
  if (parts === undefined) return wholeMachine(spec, readFile, parseYaml)
  const machine = wholeMachine(base, readFile, parseYaml)
  const isFile = parts.startsWith('@')
  const text = isFile ? readNamed(spec, parts.slice(1), readFile) : parts
  const left = parseAbsent(text, machine, isFile ? quote(parts) : quote(spec))
  const name = isFile ? `@${baseName(parts.slice(1))}` : parts
  return { ...left, name: `${machine.name} without ${name}` }
}

function wholeMachine(
  spec: string,
  readFile?: (path: string) => string,
  parseYaml?: (text: string) => ParsedYaml,
): Topology {
  const slurm = SLURM_FILE.exec(spec)
  if (slurm !== null) {
    const [, path, topology, parents, cables] = slurm
    const name = `slurm:${baseName(path)}${spec.slice('slurm:'.length + path.length)}`
    const links = within(quote(spec), () => ({
      parents: countsOf('parents', parents?.split(',')),
      cables: countsOf('cables', cables?.split(',')),
    }))
    const text = readNamed(spec, path, readFile)
    if (isTopologyYaml(text)) {
      const { value, lineOf } = yamlOf(text, name, parseYaml)
      return topologyOfYaml(value, name, { topology, ...links, lineOf })
    }
    if (topology !== undefined)
      throw new TopologyError('a topology.conf has a single topology; topology=NAME works only with a topology.yaml', {
        source: name,
      })
    return parseSlurmTopology(text, name, links)
  }
  const infiniband = INFINIBAND_FILE.exec(spec)
  if (infiniband !== null) {
    const [, path, adapter, adapters, nodes] = infiniband
    const name = `ib:${baseName(path)}${spec.slice('ib:'.length + path.length)}`
    const text = readNamed(spec, path, readFile)
    return within(name, () =>
      parseIbnetdiscover(text, name, {
        ...(adapter === undefined ? {} : { adapter }),
        ...(adapters === undefined ? {} : { adapters }),
        ...(nodes === undefined ? {} : { nodes }),
      }),
    )
  }
  const hosts = HOST_FILE.exec(spec)
  if (hosts !== null) {
    const [, kind, path, rest] = hosts
    const name = `${kind}:${baseName(path)}${spec.slice(`${kind}:${path}`.length)}`
    const options = within(quote(spec), () => optionsOfHostFile(kind, rest, countsOf))
    const text = readNamed(spec, path, readFile)
    return topologyOfHostFile(kind, text, name, options, (yaml) => yamlOf(yaml, name, parseYaml))
  }
  const at = spec.indexOf('@')
  if (at < 0) return regularTree(spec)
  return withNamesOf(regularTree(spec.slice(0, at)), readNamed(spec, spec.slice(at + 1), readFile), quote(spec))
}

function countsOf(option: string, texts: ReadonlyArray<string> | undefined): ReadonlyArray<number> | undefined {
  return texts?.map((each, level) => integer(each, `${option}${level + 1}`))
}

function regularTree(spec: string): Topology {
  const [, kind, rest] = /^([^:]*)(?::(.*))?$/s.exec(spec)!
  if (rest === undefined) return preset(spec)
  switch (kind) {
    case 'radix':
      return within(quote(spec), () => pgft(radixShape(rest), spec))
    case 'kary':
      return within(quote(spec), () => pgft(karyShape(rest), spec))
    case 'pgft':
      return within(quote(spec), () => pgft(pgftShape(rest)))
    case 'cab':
      throw new TopologyError(
        'cab takes no file: write cab@FILE, with a file of node names as a hostlist, such as cab[1-1296]',
        { source: quote(spec) },
      )
    default:
      throw unknownSpec(spec)
  }
}

function preset(name: string): Topology {
  if (name === 'cab') return pgft(CAB, name)
  if (name === 'pinot') return pgft(PINOT, name)
  throw unknownSpec(name)
}

/** Names the nodes by the hostlist in `text`, which may have several lines. */
function withNamesOf(topology: Topology, text: string, source: string): Topology {
  const hostlist = text.split(/\s+/).filter((entry) => entry !== '')
  return within(source, () => withNodeNames(topology, parseHostlist(hostlist.join(), topology.nodes)))
}

function unknownSpec(spec: string): TopologyError {
  const known = topologySpecs.map((each) => each.spec).join(' ')
  // A spec with a slash, a backslash or a file extension is probably a path.
  const kind = /[/\\]|\.\w+$/.test(spec)
    ? `a file needs its kind in front, such as slurm:${spec} or table:${spec}; `
    : ''
  return new TopologyError(`no topology has this form; ${kind}${suggestion(spec)}known are ${known}`, {
    source: quote(spec),
  })
}

/** Suggests a known form if its first word is at most two letters (`ib`: one) away from the spec's first word. */
function suggestion(spec: string): string {
  const [word] = /^[^:@]*/.exec(spec)!
  const candidate = closest(word, [
    'radix',
    'kary',
    'pgft',
    'cab',
    'pinot',
    'slurm',
    'ib',
    ...Object.keys(hostFileOptions),
  ])
  const isClose = distance(word, candidate) <= Math.min(2, candidate.length - 1)
  return isClose ? `did you mean ${candidate}${spec.slice(word.length)}? ` : ''
}

/** Runs `build`. Its errors become TopologyErrors at `source`: the spec, or the name of the topology. */
function within<A>(source: string, build: () => A): A {
  try {
    return build()
  } catch (error) {
    if (error instanceof HostlistError || error instanceof TableError)
      throw new TopologyError(error.message, { source })
    if (error instanceof TopologyError)
      throw new TopologyError(error.problem, { source, line: error.line, field: error.field })
    throw error
  }
}

function readNamed(spec: string, path: string, readFile: ((path: string) => string) | undefined): string {
  const place = { source: quote(spec) }
  if (path === '') throw new TopologyError('expected the name of a file at the end', place)
  if (readFile === undefined) throw new TopologyError('files cannot be read here', place)
  try {
    return readFile(path)
  } catch (cause) {
    throw new TopologyError(`cannot read the file: ${cause instanceof Error ? cause.message : String(cause)}`, {
      ...place,
      cause,
    })
  }
}

function yamlOf(text: string, source: string, parseYaml: ((text: string) => ParsedYaml) | undefined): ParsedYaml {
  if (parseYaml === undefined) throw new TopologyError('YAML cannot be read here', { source })
  try {
    return parseYaml(text)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause)
    const { line } = Object(cause) as { readonly line?: unknown }
    throw new TopologyError(`is no YAML: ${problem}`, { source, cause, ...(typeof line === 'number' ? { line } : {}) })
  }
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}
