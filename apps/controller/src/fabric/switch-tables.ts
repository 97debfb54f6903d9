/** An entry of a switch's table, as a line of `dump_fts` has it. */
export interface TableEntry {
  /** Hexadecimal, with 0x. */
  readonly lid: string
  readonly port: number
  readonly line: string
}

/** The table of one switch. */
export interface SwitchTable {
  /** The line above its entries. */
  readonly heading: string
  /** By the GUID of the destination's port; those whose destination has none, by their LID. */
  readonly entries: ReadonlyMap<string, TableEntry>
}

/** By the GUID of the switch: 0x and 16 hexadecimal digits. */
export type SwitchTables = ReadonlyMap<string, SwitchTable>

const HEADING = /^Unicast lids .* guid (0x[0-9a-f]{16})/
/** The description of a node stands in quotes behind the GUID. Nothing is read from the description, because any host writes its own. */
const ENTRY = /^(0x[0-9a-f]+) (\d+)(?: : \((?:[^':]* portguid (0x[0-9a-f]{16}))?)?/

/** Reads what `dump_fts` prints. Its other lines say nothing of routes. */
export function parseSwitchTables(text: string): SwitchTables {
  const tables = new Map<string, SwitchTable>()
  let entries = new Map<string, TableEntry>()
  for (const line of text.split('\n')) {
    const [, guid] = HEADING.exec(line) ?? []
    if (guid !== undefined) {
      entries = new Map()
      tables.set(guid, { heading: line, entries })
      continue
    }
    const [, lid, port, portGuid = lid] = ENTRY.exec(line) ?? []
    if (lid !== undefined) entries.set(portGuid, { lid, port: Number(port), line })
  }
  return tables
}
