module refusals

go 1.19
