import { formatHostlist, HostlistError, nodeName, parseHostlist, switchName } from '../names.ts'
import { quote, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'

/** Switch of a `topology.conf` (a line) or `topology.yaml` (an entry), with the texts of its fields. */
export interface SwitchLine {
  /** Line of the file, from 1; undefined if unknown, or for an aggregate of blocks, which the file does not list. */
  readonly line: number | undefined
  readonly name: string
  readonly nodes: string | undefined
  readonly switches: string | undefined
}

interface LinePlace {
  readonly source: string
  readonly line: number | undefined
}

/** Place of a field in errors: file, line from 1, and name of the field. */
export interface FieldPlace extends LinePlace {
  readonly field: string
}

const FIELD = /\s*([\w.]+)\s*=\s*(?:"([^"]*)"|(\S+))(?=\s|$)/y

/**
 * Returns the switches, or the blocks as switches, of a `topology.conf` or of the output of `scontrol show topology`.
 *
 * @throws TopologyError with the line and the field of the fault
 */
export function switchLines(text: string, source: string): SwitchLine[] {
  const switches: SwitchLine[] = []
  const blocks: SwitchLine[] = []
  const sizes: number[] = []
  let sizesLine: number | undefined
  for (const { line, fields } of fieldLines(text, source)) {
    const place = { source, line }
    const sizesHere = fields.get('BlockSizes') ?? fields.get('BlockSize')
    if (sizesHere !== undefined) {
      sizes.push(...blockSizes(sizesHere, place))
      sizesLine ??= line
    }
    // `switchesOfBlocks` computes the aggregates from the sizes, so AggregatedBlock lines give only BlockSize.
    if (fields.has('AggregatedBlock')) continue
    if (fields.has('BlockName')) blocks.push(blockLine(fields, place))
    else if (sizesHere === undefined) switches.push(switchLine(fields, place))
  }
  if (blocks.length > 0 && switches.length > 0)
    throw new TopologyError('the file has both switches and blocks; expected either switches or blocks', {
      source,
      line: blocks[0].line,
    })
  return blocks.length > 0 ? switchesOfBlocks(blocks, sizes, { source, line: sizesLine }) : switches
}

function blockLine(fields: ReadonlyMap<string, string>, place: LinePlace): SwitchLine {
  const nodes = fields.get('Nodes')
  if (nodes === undefined) throw new TopologyError('missing; every block has nodes', { ...place, field: 'Nodes' })
  const name = oneName(fields.get('BlockName')!, { ...place, field: 'BlockName' })
  return { line: place.line, name, nodes, switches: undefined }
}

function fieldLines(text: string, source: string): Array<{ line: number; fields: Map<string, string> }> {
  return logicalLines(text).map(({ line, content }) => {
    const fields = new Map<string, string>()
    FIELD.lastIndex = 0
    while (FIELD.lastIndex < content.length) {
      const at = FIELD.lastIndex
      const found = FIELD.exec(content)
      if (found === null)
        throw new TopologyError(
          `expected Field=value as in a topology.conf, found ${quote(content.slice(at).trim())}`,
          { source, line },
        )
      addField(fields, found[1], found[2] ?? found[3], { source, line })
    }
    return { line, fields }
  })
}

/** A `#` begins a comment. A backslash at the end of a line joins the line with the next line. */
function logicalLines(text: string): Array<{ line: number; content: string }> {
  const logical: Array<{ line: number; content: string }> = []
  let open: { line: number; content: string } | undefined
  text.split('\n').forEach((raw, i) => {
    const content = raw.replace(/#.*/, '').trimEnd()
    const continues = content.endsWith('\\')
    const piece = continues ? content.slice(0, -1) : content
    const line =
      open === undefined ? { line: i + 1, content: piece } : { line: open.line, content: open.content + piece }
    if (continues) open = line
    else {
      open = undefined
      logical.push(line)
    }
  })
  if (open !== undefined) logical.push(open)
  return logical
    .map(({ line, content }) => ({ line, content: content.trimEnd() }))
    .filter(({ content }) => content !== '')
}

const FIELDS = [
  'SwitchName',
  'Nodes',
  'Switches',
  'LinkSpeed',
  'Level',
  'BlockName',
  'BlockIndex',
  'BlockSize',
  'BlockSizes',
  'AggregatedBlock',
]

function addField(fields: Map<string, string>, key: string, value: string, place: LinePlace): void {
  const field = FIELDS.find((known) => known.toLowerCase() === key.toLowerCase())
  if (field === undefined)
    throw new TopologyError(
      `unknown field ${quote(key)}; a line has SwitchName, either Nodes or Switches, and optionally LinkSpeed`,
      place,
    )
  if (fields.has(field)) throw new TopologyError('given twice', { ...place, field })
  fields.set(field, value)
}

function switchLine(fields: ReadonlyMap<string, string>, place: LinePlace): SwitchLine {
  const { line } = place
  const ofName = { ...place, field: 'SwitchName' }
  const nodes = fields.get('Nodes')
  const switches = fields.get('Switches')
  if (!fields.has('SwitchName')) throw new TopologyError('missing; every line names one switch', ofName)
  const name = oneName(fields.get('SwitchName')!, ofName)
  if (nodes === undefined && switches === undefined)
    throw new TopologyError(`switch ${quote(name)} has neither Nodes nor Switches`, place)
  // The output of scontrol has the field Level, and for an upper switch the nodes of all leaves below the switch.
  if (fields.has('Level') && switches !== undefined) return { line, name, nodes: undefined, switches }
  if (nodes !== undefined && switches !== undefined)
    throw new TopologyError(
      `switch ${quote(name)} has both Nodes and Switches; expected either Nodes or Switches`,
      place,
    )
  return { line, name, nodes, switches }
}

function oneName(text: string, place: FieldPlace): string {
  const [only, ...more] = hostlist(text, 2, place)
  if (only === undefined || more.length > 0)
    throw new TopologyError(
      `expected the name of one ${place.field.replace('Name', '').toLowerCase()}, found ${quote(text)}`,
      place,
    )
  return only
}

/** Reads a hostlist in a field of a topology file. @throws TopologyError if the text is no hostlist */
export function hostlist(text: string, limit: number, place: FieldPlace): string[] {
  try {
    return parseHostlist(text, limit)
  } catch (error) {
    if (!(error instanceof HostlistError)) throw error
    throw new TopologyError(error.message, place)
  }
}

/**
 * Returns blocks of Slurm's plugin `topology/block` as switches: a leaf for each block, a switch for each aggregate of successive blocks, and one switch
 * at the top if several switches have no parent. `sizes` are Slurm's `BlockSizes`: nodes of a block, then of
 * aggregates.
 *
 * @throws TopologyError if a size is no power of two times the smallest size
 */
export function switchesOfBlocks(
  blocks: ReadonlyArray<SwitchLine>,
  sizes: ReadonlyArray<number>,
  place: { readonly source: string; readonly line?: number | undefined },
): SwitchLine[] {
  const [base, ...more] = [...new Set(sizes)].sort((a, b) => a - b)
  const names = new Set(blocks.map(({ name }) => name))
  const lines = [...blocks]
  let below: ReadonlyArray<string> = blocks.map(({ name }) => name)
  let blocksInEach = 1
  for (const size of more) {
    const ratio = size / base
    if (!isPowerOfTwo(ratio))
      throw new TopologyError(`expected a power of two times ${base}, the smallest block, found ${size}`, {
        ...place,
        field: 'block_sizes',
      })
    const group = ratio / blocksInEach
    if (below.length > 1) below = aggregate(below, group, `x${ratio}`)
    blocksInEach = ratio
  }
  if (below.length > 1) aggregate(below, below.length, 'all')
  return lines

  function aggregate(children: ReadonlyArray<string>, count: number, suffix: string): ReadonlyArray<string> {
    const parents: string[] = []
    for (let at = 0; at < children.length; at += count) {
      let name = `${children[at]}-${suffix}`
      while (names.has(name)) name += '-'
      names.add(name)
      parents.push(name)
      lines.push({ line: undefined, name, nodes: undefined, switches: children.slice(at, at + count).join() })
    }
    return parents
  }
}

function isPowerOfTwo(ratio: number): boolean {
  let power = 1
  while (power < ratio) power *= 2
  return power === ratio
}

/** Reads the text of `BlockSizes`. @throws TopologyError if the text is no list of positive integers */
function blockSizes(text: string, place: { readonly source: string; readonly line?: number }): number[] {
  return text.split(',').map((size) => {
    if (/^[1-9]\d{0,8}$/.test(size.trim())) return Number(size)
    throw new TopologyError(`expected sizes such as 18,36,72, found ${quote(text)}`, { ...place, field: 'BlockSizes' })
  })
}

/**
 * Returns a Slurm `topology.conf`, leaves first. The format has no field for parallel cables. If the nodes of each leaf
 * are in natural order, `parseSlurmTopology` reads the same graph and names, with single cables.
 *
 * @throws HostlistError if a name fits in no hostlist
 */
export function formatTopologyConf(topology: Topology): string {
  const lines: string[] = []
  for (let leaf = 0; leaf < topology.leaves; leaf++) {
    const names: string[] = []
    for (let node = topology.firstNodeOfLeaf[leaf]; node < topology.firstNodeOfLeaf[leaf + 1]; node++)
      names.push(nodeName(topology, node))
    lines.push(`SwitchName=${switchName(topology, 0, leaf)} Nodes=${formatHostlist(names)}`)
  }
  for (let level = 1; level < topology.levels.length; level++) {
    childrenByParent(topology, level).forEach((children, sw) => {
      const names = [...children].map((child) => switchName(topology, level - 1, child))
      lines.push(`SwitchName=${switchName(topology, level, sw)} Switches=${formatHostlist(names)}`)
    })
  }
  return `${lines.join('\n')}\n`
}

function childrenByParent({ levels }: Topology, level: number): Array<Set<number>> {
  const { switches, firstPort, parentOfLink } = levels[level - 1]
  const children = Array.from({ length: levels[level].switches }, () => new Set<number>())
  for (let child = 0; child < switches; child++) {
    for (let link = firstPort[child]; link < firstPort[child + 1]; link++) children[parentOfLink[link]].add(child)
  }
  return children
}
