/**
 * Switch of a topology file, with the texts of its fields: a line `SwitchName=… Nodes=…` or `SwitchName=… Switches=…`
 * of a `topology.conf`, or an entry of a `topology.yaml`.
 */
export interface SwitchLine {
  /**
   * Line of the file, from 1; undefined if the line is unknown, or if the file does not list the switch (an aggregate
   * of blocks).
   */
  readonly line: number | undefined
  readonly name: string
  readonly nodes: string | undefined
  readonly switches: string | undefined
}
