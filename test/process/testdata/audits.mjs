// Runs the audits of npm graphql-http against a server, and writes one line of JSON for each:
//
//     node audits.mjs PACKAGE URL ["Name: value"]...
//
// PACKAGE is the folder of graphql-http; the headers go with every request, such as "Authorization: Bearer ...".
import { createRequire } from "node:module";

const [folder, url, ...given] = process.argv.slice(2);
const { serverAudits } = createRequire(import.meta.url)(`${folder}/lib/audits/index.js`);
const headers = Object.fromEntries(given.map((header) => header.split(/: (.*)/, 2)));
const fetchFn = (to, init = {}) => fetch(to, { ...init, headers: { ...headers, ...init.headers } });

for (const audit of serverAudits({ url, fetchFn })) {
  const { id, name, status, reason } = await audit.fn();
  console.log(JSON.stringify({ id, name, status, reason }));
}
