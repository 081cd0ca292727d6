// Package local runs the embedded engine. It finds the dynoxide program, an implementation of DynamoDB that
// keeps its tables in one file or in memory, runs it as a child process on a free port of 127.0.0.1, and
// stops it.
//
// Start here: [Start] returns an [Engine] whose URL serves the DynamoDB API; [Engine.Stop] stops it. [Find]
// only finds the program. Errors are an [*Error]; [KindOf] returns its Kind.
//
// The laws that code and tests cite:
//
//	L1  The engine never outlives the process that started it, however that process ends, including kill -9.
//	L2  A signal from the terminal (Ctrl-C) does not reach the engine: the server drains first and then
//	    calls Stop.
//	L3  A data directory has at most one engine at a time, and its lock is free only when the engine has
//	    ended. (After a kill -9 of the server it is free about a millisecond earlier, while the engine is
//	    being killed; then SQLite's own locks protect the file.)
//	L4  The cache folder holds a complete, tested engine or none. A failed start leaves no directory or file
//	    that it created, except for the engine in the cache and the cache folder itself.
//
// This package must not contain tables, items, the AWS SDK, other packages of this module, flags or
// environment variables.
package local
