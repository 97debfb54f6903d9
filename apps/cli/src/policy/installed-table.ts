import type { InstalledCode } from '../results/policies.ts'
import { table } from '../terminal/table.ts'

/** Returns the table of installed packages of `policy list` and `router list`. */
export function installedTable(installed: ReadonlyArray<InstalledCode>): string {
  return table(
    ['installed', 'version', 'package', 'description'],
    installed.map((each) => [each.name, each.version, each.package, each.description]),
  )
}
