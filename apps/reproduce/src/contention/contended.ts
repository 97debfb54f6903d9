import type { Scheme } from '../experiment/outcomes.ts'

/**
 * Returns a scheme under contention: nine of ten jobs send all to all for a share of their time, in percent. Jobs that
 * share links slow each other.
 */
export function contended({ name, spec }: Scheme, share: number): Scheme {
  const communication = `90%:all-to-all:${share}%`
  return {
    name: contendedName(name, share),
    spec: { ...spec, estimates: 'exact', communication, runTimes: 'contention' },
  }
}

export function contendedName(scheme: string, share: number): string {
  return `${scheme}, ${share} %`
}
