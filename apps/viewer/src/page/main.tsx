import { allPanels, allTracks, showPage } from './index.ts'

showPage({ tracks: allTracks, panels: allPanels })
