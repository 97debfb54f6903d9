import { bindPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology } from '@cloister/topology'
for (const [p,c,t] of [[baseline,{x:1},'radix:4'],[jigsaw,{order:'x'},'radix:4'],[jigsaw,{ordr:1, maxSteps:0},'radix:4'],[jigsaw,{},'kary:2:4'],[baseline,42,'radix:4']] as any) try { bindPolicy(p,parseTopology(t),c) } catch(e:any) {console.log(e.message)}
