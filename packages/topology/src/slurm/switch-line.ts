/** Switch of a `topology.conf` (a line) or `topology.yaml` (an entry), with the texts of its fields. */
export interface SwitchLine {
  /** Line of the file, from 1; undefined if unknown, or for an aggregate of blocks, which the file does not list. */
  readonly line: number | undefined
  readonly name: string
  readonly nodes: string | undefined
  readonly switches: string | undefined
}
