/** One line `SwitchName=… Nodes=…` or `SwitchName=… Switches=…`, with the fields' texts. */
export interface SwitchLine {
  /** From 1; undefined where the file has no lines of switches. */
  readonly line: number | undefined
  readonly name: string
  readonly nodes: string | undefined
  readonly switches: string | undefined
}
