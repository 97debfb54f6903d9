import { routerSuite } from '@cloister/placement/testing'
import {
  dModKRouter,
  ftreeRouter,
  minHopRouter,
  randomRouter,
  schedulingAwareRouter,
  updnRouter,
} from '../src/index.ts'

for (const router of [dModKRouter, randomRouter, minHopRouter, updnRouter, ftreeRouter, schedulingAwareRouter])
  routerSuite(router)
