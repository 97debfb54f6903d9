/** Entry of a switch's forwarding table: one line of `dump_fts`. */
export interface TableEntry {
  /** LID of the destination port, hexadecimal with 0x. */
  readonly lid: string
  readonly port: number
  readonly line: string
}

export interface SwitchTable {
  /** Line above the switch's entries in the output of `dump_fts`. */
  readonly heading: string
  /** Entries by the GUID of the destination's port; by LID if the line has no GUID. */
  readonly entries: ReadonlyMap<string, TableEntry>
}

/** Tables of switches, by the GUID of the switch: 0x and 16 hexadecimal digits. */
export type SwitchTables = ReadonlyMap<string, SwitchTable>

const HEADING = /^Unicast lids .* guid (0x[0-9a-f]{16})/
/** The pattern skips the description of a node, in quotes behind the GUID, because hosts choose their descriptions. */
const ENTRY = /^(0x[0-9a-f]+) (\d+)(?: : \((?:[^':]* portguid (0x[0-9a-f]{16}))?)?/

/** Parses the output of `dump_fts`. Lines that are neither heading nor entry are skipped. */
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
