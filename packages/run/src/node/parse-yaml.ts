import { parse } from 'yaml'

/**
 * The value of a YAML document (YAML 1.2).
 *
 * @throws Error where it is none, or stands for far more than it says
 */
export function parseYaml(text: string): unknown {
  return parse(text, { maxAliasCount: 100, logLevel: 'error' })
}
