export { type Bars, drawBars, drawBarsInParts } from './bars.ts'
export { type ComparedRuns, comparisonFigure, type ComparisonLook } from './comparison.ts'
export { bySizeFigure, ecdfFigure, type RunOfJobs, type ValuesOfJobs } from './distributions.ts'
export { drawFigure, pictureOf } from './draw-figure.ts'
export { fabricFigure, type FabricMoment } from './fabric.ts'
export {
  type FabricLayout,
  layOut,
  type PlacedMatrix,
  ROW_NAME,
  rowNames,
  type Square,
  squareAt,
  squares,
  TITLE,
} from './fabric-layout.ts'
export {
  type Axis,
  type Figure,
  type Key,
  type Look,
  type Mark,
  type Panel,
  type Place,
  type Row,
  seriesColors,
} from './figure.ts'
export { ganttFigure, type JobOnNodes, type RunOnNodes } from './gantt.ts'
export { linkHeatExtent, linkHeatFigure, type LinkHeatOverTime } from './link-heat.ts'
export {
  capacityFigure,
  type CapacityOfRun,
  nodeTimeFigure,
  nodeTimeSharesFigure,
  type NodeTimeUse,
  nodeTimeUses,
  observedUses,
  type OverTimeLook,
  queueFigure,
  type QueueOverTime,
  type RunOverTime,
  trackFigure,
  type TrackLine,
  utilizationFigure,
} from './over-time.ts'
export { csvOf } from './csv.ts'
export { textWidth } from './text-width.ts'
export { type Drawer, type Extent, type Picture } from './picture.ts'
export { vegaLiteOf } from './vega-lite.ts'
