/** Trace of 60 jobs as SWF. The run times of some jobs exceed their walltimes. */
export const madeSwf: string = [
  '; UnixStartTime: 1700000000',
  ...Array.from({ length: 60 }, (_, at) => {
    const [id, submit, runTime, size, estimate] = [at + 1, at * 7, (at * 37) % 90, 1 + (at % 9), 20 + ((at * 53) % 90)]
    const [user, queue] = [at % 4, at % 3]
    return [id, submit, -1, runTime, -1, -1, -1, size, estimate, -1, 1, user, 2, -1, queue, -1, -1, -1].join(' ')
  }),
  '',
].join('\n')
