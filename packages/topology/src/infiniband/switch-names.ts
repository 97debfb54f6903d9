import { isHostName } from '../names/hostlist.ts'
import { quote } from '../topology-error.ts'
import type { DiscoveredSwitch } from './discovered-fabric.ts'

/**
 * Returns a unique name of each switch, by the id of the switch: the description with dashes for characters that names
 * may not have. The id follows if several switches have the same description, or if the description is no valid name.
 */
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

/** Returns the name of a switch for messages: the description, or the id if there is no description. */
export function shown({ id, description }: DiscoveredSwitch): string {
  return description === '' ? id : quote(description)
}
