/** Line `SwitchName=… Nodes=…` or `SwitchName=… Switches=…`, with the texts of the fields. */
export interface SwitchLine {
  /** Line of the file, from 1; undefined if unknown, or for a switch that the file does not list. */
  readonly line: number | undefined
  readonly name: string
  readonly nodes: string | undefined
  readonly switches: string | undefined
}
