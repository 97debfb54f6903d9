import { isHostName } from '../names/hostlist.ts'
import { quote } from '../topology-error.ts'
import type { DiscoveredSwitch } from './discovered-fabric.ts'

/** Switches by their descriptions, white space apart; by their GUIDs too where several have the same. */
export function uniqueNames(switches: ReadonlyArray<DiscoveredSwitch>): ReadonlyMap<string, string> {
  const plain = new Map(
    switches.map(({ id, description }) => [id, description.trim().replaceAll(/[\s,[\]"#=\\]+/g, '-')]),
  )
  const counts = new Map<string, number>()
  for (const name of plain.values()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    [...plain].map(([id, name]) => [id, isHostName(name) && counts.get(name) === 1 ? name : `${name}-${id}`]),
  )
}

/** The name of a switch in messages: its description, or its GUID if it has none. */
export function shown({ id, description }: DiscoveredSwitch): string {
  return description === '' ? id : quote(description)
}
