import type { Scheme } from '../experiment/outcomes.ts'

/** Adds contention to a scheme: nine of ten jobs communicate, all-to-all, for `share` percent of their run time. */
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
