import type { Panel } from '../extensions.ts'
import { areaPanel } from './area.tsx'
import { comparePanel } from './compare.tsx'
import { faultPanel } from './fault.tsx'
import { figuresPanel } from './figures.tsx'
import { fitsPanel } from './fits.tsx'
import { jobPanel } from './job.tsx'
import { jobsPanel } from './jobs.tsx'
import { notesPanel } from './notes.tsx'
import { queriesPanel } from './queries.tsx'
import { queuePanel } from './queue.tsx'
import { recordPanel } from './record.tsx'
import { routesPanel } from './routes.tsx'
import { tablesPanel } from './tables.tsx'

/** The panels of the viewer, in the order of their tabs. */
export const allPanels: ReadonlyArray<Panel> = [
  queuePanel,
  faultPanel,
  jobPanel,
  jobsPanel,
  fitsPanel,
  areaPanel,
  queriesPanel,
  tablesPanel,
  recordPanel,
  routesPanel,
  comparePanel,
  figuresPanel,
  notesPanel,
]
