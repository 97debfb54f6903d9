import { type Block, blockSizes, switchesOfBlocks } from './blocks.ts'
import type { SwitchLine } from './switch-line.ts'
import { HostlistError, parseHostlist } from '../names/hostlist.ts'
import { quote, TopologyError } from '../topology-error.ts'

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
  const blocks: Block[] = []
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
    if (fields.has('BlockName')) blocks.push(blockLine(fields, source, line))
    else if (sizesHere === undefined) switches.push(switchLine(fields, source, line))
  }
  if (blocks.length > 0 && switches.length > 0)
    throw new TopologyError('the file has both switches and blocks; expected either switches or blocks', {
      source,
      line: blocks[0].line,
    })
  return blocks.length > 0 ? switchesOfBlocks(blocks, sizes, { source, line: sizesLine }) : switches
}

function blockLine(fields: ReadonlyMap<string, string>, source: string, line: number): Block {
  const nodes = fields.get('Nodes')
  if (nodes === undefined) throw new TopologyError('missing; every block has nodes', { source, line, field: 'Nodes' })
  return { line, name: oneName(fields.get('BlockName')!, { source, line, field: 'BlockName' }), nodes }
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

function switchLine(fields: ReadonlyMap<string, string>, source: string, line: number): SwitchLine {
  const name = fields.get('SwitchName')
  const nodes = fields.get('Nodes')
  const switches = fields.get('Switches')
  if (name === undefined)
    throw new TopologyError('missing; every line names one switch', { source, line, field: 'SwitchName' })
  const only = oneName(name, { source, line, field: 'SwitchName' })
  if (nodes === undefined && switches === undefined)
    throw new TopologyError(`switch ${quote(only)} has neither Nodes nor Switches`, { source, line })
  // The output of scontrol has the field Level, and for an upper switch the nodes of all leaves below the switch.
  if (fields.has('Level') && switches !== undefined) return { line, name: only, nodes: undefined, switches }
  if (nodes !== undefined && switches !== undefined)
    throw new TopologyError(`switch ${quote(only)} has both Nodes and Switches; expected either Nodes or Switches`, {
      source,
      line,
    })
  return { line, name: only, nodes, switches }
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
