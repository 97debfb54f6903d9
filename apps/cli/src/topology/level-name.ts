/** The name of a level of switches, from 0: `leaf`, `L2`, `spine`, `L4`. */
export function levelName(level: number): string {
  return ['leaf', 'L2', 'spine'][level] ?? `L${level + 1}`
}
