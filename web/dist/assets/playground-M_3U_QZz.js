const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["assets/Explorer-DUzqszTG.js","assets/preload-helper-nrnfSAgv.js","assets/editor.api-Bzkrn4FT.js","assets/mouseTarget-CEmQljZ5.js","assets/editor-B55U_qvj.css","assets/esm-CQbo8iE5.js","assets/monaco.contribution-znIjNnKn.js","assets/Explorer-BhopgmDS.css"])))=>i.map(i=>d[i]);
import{a as e,c as t,n,r,t as i}from"./preload-helper-nrnfSAgv.js";function a(e){let t={descriptions:!0,specifiedByUrl:!1,directiveIsRepeatable:!1,schemaDescription:!1,inputValueDeprecation:!1,experimentalDirectiveDeprecation:!1,oneOf:!1,typeDepth:9,...e},n=t.descriptions?`description`:``,r=t.specifiedByUrl?`specifiedByURL`:``,i=t.directiveIsRepeatable?`isRepeatable`:``,a=t.schemaDescription?n:``;function o(e){return t.inputValueDeprecation?e:``}function s(e){return t.experimentalDirectiveDeprecation?e:``}let c=t.oneOf?`isOneOf`:``;function l(e,t){if(e<=0)return``;if(e>100)throw Error(`Please set typeDepth to a reasonable value between 0 and 100; the default is 9.`);return`
${t}ofType {
${t}  name
${t}  kind${l(e-1,t+`  `)}
${t}}`}return`
    query IntrospectionQuery {
      __schema {
        ${a}
        queryType { name kind }
        mutationType { name kind }
        subscriptionType { name kind }
        types {
          ...FullType
        }
        directives${s(`(includeDeprecated: true)`)} {
          name
          ${n}
          ${i}
          ${s(`isDeprecated`)}
          ${s(`deprecationReason`)}
          locations
          args${o(`(includeDeprecated: true)`)} {
            ...InputValue
          }
        }
      }
    }

    fragment FullType on __Type {
      kind
      name
      ${n}
      ${r}
      ${c}
      fields(includeDeprecated: true) {
        name
        ${n}
        args${o(`(includeDeprecated: true)`)} {
          ...InputValue
        }
        type {
          ...TypeRef
        }
        isDeprecated
        deprecationReason
      }
      inputFields${o(`(includeDeprecated: true)`)} {
        ...InputValue
      }
      interfaces {
        ...TypeRef
      }
      enumValues(includeDeprecated: true) {
        name
        ${n}
        isDeprecated
        deprecationReason
      }
      possibleTypes {
        ...TypeRef
      }
    }

    fragment InputValue on __InputValue {
      name
      ${n}
      type { ...TypeRef }
      defaultValue
      ${o(`isDeprecated`)}
      ${o(`deprecationReason`)}
    }

    fragment TypeRef on __Type {
      kind
      name${l(t.typeDepth,`      `)}
    }
  `}var o=t(e(),1),s=r(),c=`/graphql`,l=`X-Show-Cost`;async function u(e,t,n){let r=v(e),i={operation:r??``,answer:{},answered:!1,status:0,milliseconds:0,bytes:0,askedForCost:h(t),requestId:null,rateLimit:null},a=performance.now();try{let o=await fetch(c,{method:`POST`,headers:{...g(t),"Content-Type":`application/json`,Accept:`application/graphql-response+json, application/json;q=0.9`},body:JSON.stringify({...e,operationName:r}),credentials:`omit`,signal:n??null}),s=await o.arrayBuffer();i.milliseconds=performance.now()-a,i.bytes=s.byteLength,i.status=o.status,i.requestId=o.headers.get(`X-Request-Id`),i.rateLimit=_(o.headers);let l=m(new TextDecoder().decode(s));i.answered=l!==null,i.answer=l??p(`The server's response is not GraphQL: status ${o.status}, ${o.headers.get(`Content-Type`)??`without a type`}.`)}catch(e){if(n?.aborted)throw e;i.milliseconds=performance.now()-a,i.answer=p(f(e))}return i}async function d(e,t,n,r){let{answer:i}=await u({query:e,variables:t},n,r);if(i.errors?.[0]||!i.data)throw Error(i.errors?.[0]?.message??`the answer has no data`);return i.data}function f(e){return navigator.onLine?`The server does not respond${e instanceof Error&&!/fetch|network|load failed/i.test(e.message)?` (${e.message})`:``}. Is it running? Try again when it is.`:`There is no response, because this browser is offline. Run the operation again when the network is back.`}function p(e){return{errors:[{message:e}]}}function m(e){try{let t=JSON.parse(e);return typeof t==`object`&&t&&(`data`in t||`errors`in t)?t:null}catch{return null}}function h(e){return Object.entries(e).some(([e,t])=>e.toLowerCase()===`x-show-cost`&&String(t)===`1`)}function g(e){return Object.fromEntries(Object.entries(e).map(([e,t])=>[e,String(t)]))}function _(e){let[t,n,r]=[`Limit`,`Remaining`,`Reset`].map(t=>e.get(`RateLimit-${t}`));return t&&n&&r?{limit:t,remaining:n,reset:r}:null}function v({query:e,operationName:t}){let n=[...e.matchAll(/^\s*(?:query|mutation|subscription)\s+(\w+)/gm)].map(([,e])=>e??null);return n.find(e=>e===t)??n[0]??null}var y=`fragment Candidates on Tenant {
  projects(first: 10) { nodes { id fields { type sortable } issues(first: 1) { nodes { id } } } }
}`,b=`query WhoAsks { viewer { canOperate tenant { ...Candidates } } } ${y}`,x=`query AllTenants { tenants(first: 10) { nodes { ...Candidates } } } ${y}`,S=`query ForExamples($project: ID!) {
  project(id: $project) {
    id
    key
    name
    fields { id name type sortable required options { id } }
    issues(first: 6) {
      edges { cursor node { id name version state { id } values { field { id } ... on SelectValue { option { id } } } } }
    }
  }
}`;async function C(e,t){let{viewer:n}=await d(b,{},e,t),r=n.tenant?[n.tenant]:[];n.canOperate&&!w(r)&&(r=(await d(x,{},e,t)).tenants.nodes);let i=w(r);if(!i)return null;let{project:a}=await d(S,{project:i.id},e,t),{issues:o,...s}=a;return{...s,rows:o.edges}}function w(e){let t;for(let n of e.flatMap(e=>e.projects.nodes))(!t||T(n)>T(t))&&(t=n);return t}function T({issues:e,fields:t}){return(e.nodes.length>0?4:0)+(t.some(e=>e.type===`SELECT`)?2:0)+ +!!t.some(e=>e.sortable)}var E=class{#e;#t=new Set;constructor(e){this.#e=e}get=()=>this.#e;set=e=>{this.#e=e,this.#t.forEach(e=>e())};follow=e=>(this.#t.add(e),()=>this.#t.delete(e))},D=5e3,O=class{last=new E(null);found=new E({state:`looking`});find=async e=>{let t=await C(e,AbortSignal.timeout(D)).then(e=>e?{state:`found`,place:e}:{state:`none`},e=>({state:`unknown`,problem:e instanceof Error?e.message:String(e)}));return this.found.set(t),t};fetcher=(e,t)=>{let n=t?.headers??{};return!t||!(`documentAST`in t)?u({...e,query:k},n).then(({answer:e})=>e):A(async t=>{let r=await u(e,n,t);return this.last.set(r),r.answer})}},k=a({descriptions:!0,schemaDescription:!0,specifiedByUrl:!0,directiveIsRepeatable:!0,inputValueDeprecation:!0,oneOf:!0});function A(e){return{subscribe(t){let n=new AbortController;return e(n.signal).then(e=>{t.next(e),t.complete()},e=>{n.signal.aborted||t.error(e)}),{unsubscribe:()=>n.abort()}}}}var j=(0,o.createContext)(null);function M(){let e=(0,o.useContext)(j);if(!e)throw Error(`there is no session around this component`);return e}function N(e){return(0,o.useSyncExternalStore)(e.follow,e.get)}var P=`graphiql:`,F=[`queries`,`favorites`,`tabState`].map(e=>P+e),I=[`query`,`variables`,`headers`].map(e=>P+e);function L(e=R()){let t=new Map,n=()=>(e?Object.keys(e):[...t.keys()]).filter(e=>e.startsWith(P)),r=n=>{e?.removeItem(n),t.delete(n)};return{getItem:n=>e?e.getItem(n):t.get(n)??null,setItem(n,i){let a=z(n,i);a===null?r(n):e?e.setItem(n,a):t.set(n,a)},removeItem:r,clear:()=>n().forEach(r),get length(){return n().length}}}function R(){try{return window.localStorage}catch{return}}function z(e,t){return I.includes(e)?null:F.includes(e)?JSON.stringify(JSON.parse(t),(e,t)=>e===`headers`?null:t):t}function B(e){try{let{tabs:t,activeTabIndex:n}=JSON.parse(e.getItem(`${P}tabState`)??`{}`),r=t?.[n??0];return r&&{query:r.query??``,variables:r.variables??``}}catch{return}}var V=n();function H({problem:e}){return(0,V.jsxs)(`main`,{className:`shell`,children:[(0,V.jsxs)(`h1`,{children:[(0,V.jsx)(`a`,{href:`/`,children:`issuegrid`}),` `,(0,V.jsx)(`span`,{children:`playground`})]}),(0,V.jsx)(`p`,{role:`status`,children:e??`The editor is loading …`})]})}var U=class extends o.Component{state={failed:!1};static getDerivedStateFromError(){return{failed:!0}}render(){return this.state.failed?(0,V.jsx)(H,{problem:`The editor cannot be loaded. Reload the page when the server is available.`}):this.props.children}},W=L(),G=W.getItem(`graphiql:theme`);G&&document.body.classList.add(`graphiql-${G}`);var K=new O,q=K.find({}),J=(0,o.lazy)(async()=>{let[e]=await Promise.all([i(()=>import(`./Explorer-DUzqszTG.js`).then(e=>e.t),__vite__mapDeps([0,1,2,3,4,5,6,7])),q]);return e});(0,s.createRoot)(document.getElementById(`root`)).render((0,V.jsx)(o.StrictMode,{children:(0,V.jsx)(U,{children:(0,V.jsx)(o.Suspense,{fallback:(0,V.jsx)(H,{}),children:(0,V.jsx)(J,{session:K,storage:W})})})}));export{l as a,N as i,j as n,a as o,M as r,B as t};