import { threadPool } from '@cloister/sweep'

/** Creates a pool of worker threads of this program for the cells of a sweep. */
export const programThreads = (workers: number) => threadPool(new URL('./start-worker.js', import.meta.url), workers)
