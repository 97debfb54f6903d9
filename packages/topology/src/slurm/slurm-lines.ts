import { HostlistError, parseHostlist } from '../names/hostlist.ts'
import { quote, TopologyError } from '../topology-error.ts'

/** One line `SwitchName=… Nodes=…` or `SwitchName=… Switches=…`, with the fields' texts. */
export interface SwitchLine {
  readonly line: number
  readonly name: string
  readonly nodes: string | undefined
  readonly switches: string | undefined
}

/** Where a line is, in errors. */
interface LinePlace {
  readonly source: string
  readonly line: number
}

export interface FieldPlace extends LinePlace {
  readonly field: string
}

const FIELD = /\s*([\w.]+)\s*=\s*(?:"([^"]*)"|(\S+))(?=\s|$)/y

/** @throws TopologyError with line and field */
export function switchLines(text: string, source: string): SwitchLine[] {
  return logicalLines(text).map(({ line, content }) => {
    const fields = new Map<string, string>()
    FIELD.lastIndex = 0
    while (FIELD.lastIndex < content.length) {
      const at = FIELD.lastIndex
      const found = FIELD.exec(content)
      if (found === null)
        throw new TopologyError(`expected Field=value, found ${quote(content.slice(at).trim())}`, { source, line })
      addField(fields, found[1], found[2] ?? found[3], { source, line })
    }
    return switchLine(fields, source, line)
  })
}

/** Lines without comments, those that end in a backslash joined with the next; empty ones left out. */
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

const FIELDS = ['SwitchName', 'Nodes', 'Switches', 'LinkSpeed']

function addField(fields: Map<string, string>, key: string, value: string, place: LinePlace): void {
  const field = FIELDS.find((known) => known.toLowerCase() === key.toLowerCase())
  if (field === undefined)
    throw new TopologyError(
      `unknown field ${quote(key)}; a line has SwitchName and either Nodes or Switches, at most LinkSpeed besides`,
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
  const [only, ...more] = hostlist(name, 2, { source, line, field: 'SwitchName' })
  if (only === undefined || more.length > 0)
    throw new TopologyError(`expected the name of one switch, found ${quote(name)}`, {
      source,
      line,
      field: 'SwitchName',
    })
  if (nodes === undefined && switches === undefined)
    throw new TopologyError(`switch ${quote(only)} has neither Nodes nor Switches`, { source, line })
  if (nodes !== undefined && switches !== undefined)
    throw new TopologyError(`switch ${quote(only)} has both Nodes and Switches; expected one of them`, { source, line })
  return { line, name: only, nodes, switches }
}

/** @throws TopologyError instead of HostlistError, with the place */
export function hostlist(text: string, limit: number, place: FieldPlace): string[] {
  try {
    return parseHostlist(text, limit)
  } catch (error) {
    if (!(error instanceof HostlistError)) throw error
    throw new TopologyError(error.message, place)
  }
}
