const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["assets/Explorer-BoLSoN7X.js","assets/jsx-runtime-Zb7pl4q5.js","assets/editor.api-T8RLFICE.js","assets/mouseTarget-B1CvB_-5.js","assets/editor-B55U_qvj.css","assets/esm-_btVz41S.js","assets/monaco.contribution-DcGwliGA.js","assets/Explorer-BhopgmDS.css"])))=>i.map(i=>d[i]);
import{i as e,n as t,s as n,t as r}from"./jsx-runtime-Zb7pl4q5.js";function i(e){let t={descriptions:!0,specifiedByUrl:!1,directiveIsRepeatable:!1,schemaDescription:!1,inputValueDeprecation:!1,experimentalDirectiveDeprecation:!1,oneOf:!1,typeDepth:9,...e},n=t.descriptions?`description`:``,r=t.specifiedByUrl?`specifiedByURL`:``,i=t.directiveIsRepeatable?`isRepeatable`:``,a=t.schemaDescription?n:``;function o(e){return t.inputValueDeprecation?e:``}function s(e){return t.experimentalDirectiveDeprecation?e:``}let c=t.oneOf?`isOneOf`:``;function l(e,t){if(e<=0)return``;if(e>100)throw Error(`Please set typeDepth to a reasonable value between 0 and 100; the default is 9.`);return`
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
  `}var a=n(e(),1),o=t(),s=`/graphql`,c=`X-Show-Cost`;async function l(e,t,n){let r=_(e),i={operation:r??``,answer:{},answered:!1,status:0,milliseconds:0,bytes:0,askedForCost:m(t),requestId:null,rateLimit:null},a=performance.now();try{let o=await fetch(s,{method:`POST`,headers:{...h(t),"Content-Type":`application/json`,Accept:`application/graphql-response+json, application/json;q=0.9`},body:JSON.stringify({...e,operationName:r}),credentials:`omit`,signal:n??null}),c=await o.arrayBuffer();i.milliseconds=performance.now()-a,i.bytes=c.byteLength,i.status=o.status,i.requestId=o.headers.get(`X-Request-Id`),i.rateLimit=g(o.headers);let l=p(new TextDecoder().decode(c));i.answered=l!==null,i.answer=l??f(`The server's answer is no GraphQL: status ${o.status}, ${o.headers.get(`Content-Type`)??`of no type`}.`)}catch(e){if(n?.aborted)throw e;i.milliseconds=performance.now()-a,i.answer=f(d(e))}return i}async function u(e,t,n,r){let{answer:i}=await l({query:e,variables:t},n,r);if(i.errors?.[0]||!i.data)throw Error(i.errors?.[0]?.message??`the answer has no data`);return i.data}function d(e){return navigator.onLine?`The server does not answer${e instanceof Error&&!/fetch|network|load failed/i.test(e.message)?` (${e.message})`:``}. Is it running? Run it again when it is.`:`There is no answer: this browser is offline. Run it again when the network is back.`}function f(e){return{errors:[{message:e}]}}function p(e){try{let t=JSON.parse(e);return typeof t==`object`&&t&&(`data`in t||`errors`in t)?t:null}catch{return null}}function m(e){return Object.entries(e).some(([e,t])=>e.toLowerCase()===`x-show-cost`&&String(t)===`1`)}function h(e){return Object.fromEntries(Object.entries(e).map(([e,t])=>[e,String(t)]))}function g(e){let[t,n,r]=[`Limit`,`Remaining`,`Reset`].map(t=>e.get(`RateLimit-${t}`));return t&&n&&r?{limit:t,remaining:n,reset:r}:null}function _({query:e,operationName:t}){let n=[...e.matchAll(/^\s*(?:query|mutation|subscription)\s+(\w+)/gm)].map(([,e])=>e??null);return n.find(e=>e===t)??n[0]??null}var v=`fragment Candidates on Tenant {
  projects(first: 10) { nodes { id fields { type sortable } issues(first: 1) { nodes { id } } } }
}`,y=`query WhoAsks { viewer { canOperate tenant { ...Candidates } } } ${v}`,b=`query AllTenants { tenants(first: 10) { nodes { ...Candidates } } } ${v}`,x=`query ForExamples($project: ID!) {
  project(id: $project) {
    id
    key
    name
    fields { id name type sortable required options { id } }
    issues(first: 6) {
      edges { cursor node { id name version state { id } values { field { id } ... on SelectValue { option { id } } } } }
    }
  }
}`;async function S(e,t){let{viewer:n}=await u(y,{},e,t),r=n.tenant?[n.tenant]:[];n.canOperate&&!C(r)&&(r=(await u(b,{},e,t)).tenants.nodes);let i=C(r);if(!i)return null;let{project:a}=await u(x,{project:i.id},e,t),{issues:o,...s}=a;return{...s,rows:o.edges}}function C(e){let t;for(let n of e.flatMap(e=>e.projects.nodes))(!t||w(n)>w(t))&&(t=n);return t}function w({issues:e,fields:t}){return(e.nodes.length>0?4:0)+(t.some(e=>e.type===`SELECT`)?2:0)+ +!!t.some(e=>e.sortable)}var T=class{#e;#t=new Set;constructor(e){this.#e=e}get=()=>this.#e;set=e=>{this.#e=e,this.#t.forEach(e=>e())};follow=e=>(this.#t.add(e),()=>this.#t.delete(e))},E=5e3,D=class{last=new T(null);found=new T({state:`looking`});find=async e=>{let t=await S(e,AbortSignal.timeout(E)).then(e=>e?{state:`found`,place:e}:{state:`none`},e=>({state:`unknown`,problem:e instanceof Error?e.message:String(e)}));return this.found.set(t),t};fetcher=(e,t)=>{let n=t?.headers??{};return!t||!(`documentAST`in t)?l({...e,query:O},n).then(({answer:e})=>e):k(async t=>{let r=await l(e,n,t);return this.last.set(r),r.answer})}},O=i({descriptions:!0,schemaDescription:!0,specifiedByUrl:!0,directiveIsRepeatable:!0,inputValueDeprecation:!0,oneOf:!0});function k(e){return{subscribe(t){let n=new AbortController;return e(n.signal).then(e=>{t.next(e),t.complete()},e=>{n.signal.aborted||t.error(e)}),{unsubscribe:()=>n.abort()}}}}var A=(0,a.createContext)(null);function j(){let e=(0,a.useContext)(A);if(!e)throw Error(`there is no session around this component`);return e}function M(e){return(0,a.useSyncExternalStore)(e.follow,e.get)}var N=`graphiql:`,P=[`queries`,`favorites`,`tabState`].map(e=>N+e),F=[`query`,`variables`,`headers`].map(e=>N+e);function I(e=L()){let t=new Map,n=()=>(e?Object.keys(e):[...t.keys()]).filter(e=>e.startsWith(N)),r=n=>{e?.removeItem(n),t.delete(n)};return{getItem:n=>e?e.getItem(n):t.get(n)??null,setItem(n,i){let a=R(n,i);a===null?r(n):e?e.setItem(n,a):t.set(n,a)},removeItem:r,clear:()=>n().forEach(r),get length(){return n().length}}}function L(){try{return window.localStorage}catch{return}}function R(e,t){return F.includes(e)?null:P.includes(e)?JSON.stringify(JSON.parse(t),(e,t)=>e===`headers`?null:t):t}function z(e){try{let{tabs:t,activeTabIndex:n}=JSON.parse(e.getItem(`${N}tabState`)??`{}`),r=t?.[n??0];return r&&{query:r.query??``,variables:r.variables??``}}catch{return}}var B=r();function V({problem:e}){return(0,B.jsxs)(`main`,{className:`shell`,children:[(0,B.jsxs)(`h1`,{children:[(0,B.jsx)(`a`,{href:`/`,children:`issuegrid`}),` `,(0,B.jsx)(`span`,{children:`playground`})]}),(0,B.jsx)(`p`,{role:`status`,children:e??`The editor is loading …`})]})}var H=class extends a.Component{state={failed:!1};static getDerivedStateFromError(){return{failed:!0}}render(){return this.state.failed?(0,B.jsx)(V,{problem:`The editor can't be loaded. Load the page again when the server answers.`}):this.props.children}},U=`modulepreload`,W=function(e){return`/`+e},G={},K=function(e){return e.pathname.endsWith(`.css`)},q=function(e,t,n){if(t in e)return e[t];let r=n();if(!r){e[t]=void 0;return}let i=r.then(()=>{e[t]=void 0},n=>{throw e[t]=void 0,n});return e[t]=i,i},J=function(e,t,n){let r=Promise.resolve();if(t&&t.length>0){let e,i=document.querySelector(`meta[property=csp-nonce]`),a=i?.nonce||i?.getAttribute(`nonce`);function o(e){return Promise.all(e.map(e=>Promise.resolve(e).then(e=>({status:`fulfilled`,value:e}),e=>({status:`rejected`,reason:e}))))}function s(e){return import.meta.resolve?new URL(import.meta.resolve(e)):new URL(e,import.meta.url)}r=o(t.map(t=>{t=W(t,n);let r=s(t),i=K(r);return q(G,r.href,()=>{if(e===void 0){e={all:new Set,styles:new Set};let t=document.getElementsByTagName(`link`);for(let n=t.length-1;n>=0;n--){let r=t[n];e.all.add(r.href),r.rel===`stylesheet`&&e.styles.add(r.href)}}if((i?e.styles:e.all).has(r.href))return;let t=document.createElement(`link`);if(t.rel=i?`stylesheet`:U,i||(t.as=`script`),t.crossOrigin=``,t.href=r.href,a&&t.setAttribute(`nonce`,a),document.head.appendChild(t),i)return new Promise((e,n)=>{let i=a=>{t.removeEventListener(`load`,i),t.removeEventListener(`error`,i),a.type===`error`?n(Error(`Unable to preload CSS for ${r}`)):e(a)};t.addEventListener(`load`,i),t.addEventListener(`error`,i)})})}).filter(e=>e!==void 0))}function i(e){let t=new Event(`vite:preloadError`,{cancelable:!0});if(t.payload=e,window.dispatchEvent(t),!t.defaultPrevented)throw e}return r.then(t=>{for(let e of t||[])e.status===`rejected`&&i(e.reason);return e().catch(i)})},Y=I(),X=Y.getItem(`graphiql:theme`);X&&document.body.classList.add(`graphiql-${X}`);var Z=new D,Q=Z.find({}),$=(0,a.lazy)(async()=>{let[e]=await Promise.all([J(()=>import(`./Explorer-BoLSoN7X.js`).then(e=>e.t),__vite__mapDeps([0,1,2,3,4,5,6,7])),Q]);return e});(0,o.createRoot)(document.getElementById(`root`)).render((0,B.jsx)(a.StrictMode,{children:(0,B.jsx)(H,{children:(0,B.jsx)(a.Suspense,{fallback:(0,B.jsx)(V,{}),children:(0,B.jsx)($,{session:Z,storage:Y})})})}));export{M as a,j as i,z as n,c as o,A as r,i as s,J as t};