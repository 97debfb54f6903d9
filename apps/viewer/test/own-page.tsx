/** Script of a page with a further track and a further panel, as in the viewer's README. */
import {
  activeRun,
  allPanels,
  allTracks,
  nodeTimeMeans,
  type Panel,
  showPage,
  type TimelineMeansAnswer,
  type Track,
} from '../src/page/index.ts'

const waiting: Track<TimelineMeansAnswer> = {
  name: 'Waiting',
  height: 62,
  useData: () => activeRun.value && nodeTimeMeans.value.get(activeRun.value),
  draw: (context, { x, height }, { t, waiting: jobs }) => {
    for (const [at, time] of t.entries()) context.fillRect(x(time), height - jobs[at], 2, jobs[at])
  },
}

const summary: Panel = {
  name: 'summary',
  title: 'Summary',
  key: { key: 'u', does: 'number of the jobs' },
  command: 'number of the jobs',
  content: ({ run }) => <p>{run.overview.value?.jobs} jobs</p>,
}

showPage({ tracks: [...allTracks, waiting], panels: [...allPanels, summary] })
